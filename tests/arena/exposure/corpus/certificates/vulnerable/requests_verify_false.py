import requests
from flask import Flask, request

app = Flask(__name__)


@app.route("/status")
def status():
    host = app.config["HOST"]
    answer = requests.get(f"https://{host}/status", verify=False, timeout=5)
    return answer.text
