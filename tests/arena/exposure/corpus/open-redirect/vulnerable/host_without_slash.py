from flask import Flask, request, redirect

app = Flask(__name__)

BASE = "https://www.example.org"


@app.route("/old")
def old():
    rest = request.args.get("rest", "")
    return redirect("%s%s" % (BASE, rest), 301)
