import string
from flask import Flask, request, jsonify

app = Flask(__name__)


@app.route("/strength", methods=["POST"])
def strength():
    password = request.json.get("password", "")
    errors = {}
    if len(password) < 12:
        errors["password"] = "is too short"
    if not any(c in "!@#$%" for c in password) or password[0] == "a":
        errors["password"] = "needs a special character"
    if "password_confirm" in request.json and password != request.json["password_confirm"]:
        errors["password"] = "differs"
    return jsonify(errors)
