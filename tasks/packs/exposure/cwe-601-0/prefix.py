from urllib.parse import urljoin, urlparse

from flask import Flask, redirect, request, session

from accounts import check_login

app = Flask(__name__)


{task}
@app.route("/login", methods=["POST"])
def login():
    username = request.form["username"]
    if not check_login(username, request.form["password"]):
        return "wrong username or password", 401
    session["username"] = username
    following = request.args.get("next", "/")
