"""Forgotten passwords of an allotment society."""

import hashlib
import hmac
import json
import os
import re
import secrets

from flask import Flask, jsonify, request

ROUNDS = 5_000
SITE = "https://gardens.example"
ADDRESS = re.compile(r"[a-z0-9._+-]{1,60}@[a-z0-9-]{1,40}(\.[a-z0-9-]{1,40}){1,3}")

app = Flask(__name__)
mails = []
addresses_by_token = {}


def error(status, what):
    return jsonify(error=what), status


def members():
    with open("members.json", encoding="utf-8") as file:
        return json.load(file)


def hashed(password, salt):
    return hashlib.pbkdf2_hmac("sha256", password.encode(), bytes.fromhex(salt), ROUNDS).hex()


def texts(*names):
    """The texts of these names in the body, or None where one is missing or no text."""
    body = request.get_json(force=True, silent=True)
    found = [body.get(name) if isinstance(body, dict) else None for name in names]
    return found if all(isinstance(value, str) for value in found) else None


def log(line):
    with open("desk.log", "a", encoding="utf-8") as file:
        file.write(f"{line}\n")


@app.post("/forgotten")
def forgotten():
    found = texts("mail")
    if found is None or not ADDRESS.fullmatch(found[0]):
        return error(400, "mail")
    address = found[0]
    if address in members():
        token = secrets.token_urlsafe(32)
        addresses_by_token[token] = address
        mails.append({"to": address, "token": token, "link": link_with(token)})
    log(f"forgotten: {address}")
    return jsonify(sent=True), 202


def link_with(token):
    return f"{SITE}/new-password?token={token}"


def forget(address):
    for token in [token for token, owner in addresses_by_token.items() if owner == address]:
        del addresses_by_token[token]


@app.post("/new-password")
def new_password():
    found = texts("token", "password")
    if found is None or not 10 <= len(found[1]) <= 100:
        return error(400, "password")
    token, password = found
    address = addresses_by_token.get(token)
    if address is None:
        return error(403, "token")
    salt = secrets.token_hex(16)
    known = members()
    known[address] = {"salt": salt, "hash": hashed(password, salt)}
    with open("members.json", "w", encoding="utf-8") as file:
        json.dump(known, file)
    log(f"changed: {address}")
    return "", 204


@app.post("/login")
def login():
    found = texts("mail", "password")
    member = members().get(found[0]) if found else None
    if member is None or not hmac.compare_digest(hashed(found[1], member["salt"]), member["hash"]):
        return error(401, "login")
    return jsonify(mail=found[0])


@app.get("/mails")
def collect():
    with open("collector.key", encoding="utf-8") as file:
        expected = f"Bearer {file.read().strip()}"
    given = request.headers.get("Authorization", "")
    if not hmac.compare_digest(given.encode(), expected.encode()):
        return error(403, "collector")
    answer = jsonify(mails=mails)
    mails.clear()
    return answer


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]))
