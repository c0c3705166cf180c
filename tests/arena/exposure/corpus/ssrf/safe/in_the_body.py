import json
import urllib.request
from flask import Flask, request

app = Flask(__name__)


@app.post("/translate")
def translate():
    data = json.dumps({"text": request.form["text"]}).encode()
    call = urllib.request.Request("https://translate.example.org/api", data=data)
    call.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(call) as answer:
        return answer.read()
