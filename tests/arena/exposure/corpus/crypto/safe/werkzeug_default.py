from flask import Flask, request
from werkzeug.security import generate_password_hash

app = Flask(__name__)
users = {}


@app.post("/users")
def create():
    body = request.get_json()
    # sha1 and md5 are broken, so not these
    users[body["name"]] = generate_password_hash(body["password"])
    return {"ok": True}
