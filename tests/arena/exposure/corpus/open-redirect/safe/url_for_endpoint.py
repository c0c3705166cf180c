from flask import Flask, redirect, request, url_for

app = Flask(__name__)


@app.route("/find")
def find():
    query = request.args.get("q", "")
    return redirect(url_for("results", q=query))


@app.route("/results")
def results():
    return "results"
