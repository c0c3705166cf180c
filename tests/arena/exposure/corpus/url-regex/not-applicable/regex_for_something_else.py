import re
from flask import Flask, request, redirect, url_for

app = Flask(__name__)
EMAIL = re.compile(r"^[^@]+@[^@]+\.[a-z]+$")


@app.route("/subscribe", methods=["POST"])
def subscribe():
    email = request.form.get("email", "")
    if not EMAIL.match(email):
        return "bad address", 400
    return redirect(url_for("thanks"))


@app.route("/thanks")
def thanks():
    return "Thank you"
