from flask import Flask, request, jsonify
import requests as r

app = Flask(__name__)


@app.route("/status")
def status():
    host = request.args["host"]
    answer = r.get("http://{}:8080/status".format(host))
    return jsonify(answer.json())
