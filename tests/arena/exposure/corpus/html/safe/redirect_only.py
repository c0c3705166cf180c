from flask import Flask, redirect, request, session, url_for

app = Flask(__name__)


@app.route("/login", methods=["POST"])
def login():
    session["name"] = request.form["name"]
    return redirect(url_for("home"))


@app.route("/home")
def home():
    return "<p>You are signed in</p>"
