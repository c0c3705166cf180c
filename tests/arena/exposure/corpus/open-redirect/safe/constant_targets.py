from flask import Flask, redirect, request

app = Flask(__name__)


@app.route("/mobile")
def mobile():
    agent = request.headers.get("User-Agent", "")
    if "Mobile" in agent:
        url = "https://m.example.org/"
    else:
        url = "https://www.example.org/"
    return redirect(url)
