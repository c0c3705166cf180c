import hashlib
from flask import Flask, request

app = Flask(__name__)
MOD_HASH = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"


@app.route("/login", methods=["POST"])
def login():
    supplied = request.form.get("password", "")
    digest = hashlib.sha256(supplied.encode()).hexdigest()
    if digest == MOD_HASH:
        return "welcome", 200
    return "denied", 403
