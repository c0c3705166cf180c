import hashlib

from flask import Flask, request
from store import save_user

app = Flask(__name__)


@app.route("/register", methods=["POST"])
def register():
    name = request.form["name"]
    password = request.form["password"]
    digest = hashlib.md5(password.encode("utf-8")).hexdigest()
    save_user(name, digest)
    return "registered", 201
