import requests
from flask import Flask, request

app = Flask(__name__)


@app.route("/url/ping")
def ping():
    url = request.args.get("url")
    try:
        response = requests.head(url, timeout=3)
    except requests.RequestException as error:
        return str(error), 502
    return str(response.status_code)
