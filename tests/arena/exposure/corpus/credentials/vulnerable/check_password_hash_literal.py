from flask import Flask, request, abort
from werkzeug.security import check_password_hash

app = Flask(__name__)


@app.get("/mod")
def mod():
    password = request.args["password"]
    stored = "pbkdf2:sha256:260000$Qx1$4f0c5c0b9e5d8a1f"
    if not check_password_hash(stored, password):
        abort(403)
    return "ok"
