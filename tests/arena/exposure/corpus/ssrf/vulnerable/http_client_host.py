import http.client
from flask import Flask, request

app = Flask(__name__)


@app.route("/ping/<host>")
def ping(host):
    connection = http.client.HTTPSConnection(host, timeout=2)
    connection.request("HEAD", "/")
    return str(connection.getresponse().status)
