from flask import Flask, session, request

app = Flask(__name__)
app.secret_key = "dev"


@app.route("/enter", methods=["POST"])
def enter():
    session["user"] = request.form["user"]
    return "hello"
