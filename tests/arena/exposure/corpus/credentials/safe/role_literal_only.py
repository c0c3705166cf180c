from flask import Flask, request, session

app = Flask(__name__)


@app.route("/check_mod")
def check_mod():
    username = request.args.get("username")
    if session.get("user") == username and session.get("role") == "moderator":
        return "true"
    return "false"
