from flask import Flask, request

app = Flask(__name__)


@app.route("/redirect/<url>")
def describe(url):
    if "example.com" in url:
        return "inside"
    return "outside"
