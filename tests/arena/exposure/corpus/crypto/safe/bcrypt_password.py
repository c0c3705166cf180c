import bcrypt
from flask import Flask, request
from store import save_user

app = Flask(__name__)


@app.route("/register", methods=["POST"])
def register():
    password = request.form["password"].encode()
    save_user(request.form["name"], bcrypt.hashpw(password, bcrypt.gensalt()))
    return "registered", 201
