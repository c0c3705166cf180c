from flask import Flask, request
from werkzeug.security import check_password_hash
from models import User

app = Flask(__name__)


@app.post("/login")
def login():
    user = User.query.filter_by(name=request.form["name"]).first()
    if user and check_password_hash(user.password_hash, request.form["password"]):
        return "in"
    return "out", 401
