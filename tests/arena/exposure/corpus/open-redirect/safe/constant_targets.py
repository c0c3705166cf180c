from flask import Flask, redirect, request

app = Flask(__name__)


@app.route("/mobile")
def mobile():
    agent = request.headers.get("User-Agent", "")
    if "Mobile" in agent:
        place = "https://m.example.org/"
    else:
        place = "https://www.example.org/"
    return redirect(place)
