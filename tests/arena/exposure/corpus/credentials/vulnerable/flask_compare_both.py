from flask import Flask, request

app = Flask(__name__)


@app.route("/moderator", methods=["POST"])
def moderator():
    """Tell whether the visitor is a moderator."""
    name = request.form["name"]
    password = request.form["password"]
    if name == "board-mod" and password == "tulip7":
        return "yes"
    return "no"
