"""The service desk: looking after services by HTTP."""

import hashlib
import hmac
import json
import os
import random
import re
import subprocess

from flask import Flask, jsonify, request

ROUNDS = 10_000
ACTIONS = ("start", "stop", "restart")
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
LINES = re.compile(r"[0-9]{1,3}")

app = Flask(__name__)
names_by_token = {}


class Refused(Exception):
    def __init__(self, status, error):
        super().__init__(error)
        self.status, self.error = status, error


@app.errorhandler(Refused)
def refused(reason):
    return jsonify(error=reason.error), reason.status


def facts(file):
    with open(file, encoding="utf-8") as content:
        return json.load(content)


def hashed(password, salt):
    data = password.encode("utf-8", "surrogatepass")
    return hashlib.pbkdf2_hmac("sha256", data, bytes.fromhex(salt), ROUNDS).hex()


def token_of_request():
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme != "Bearer" or token not in names_by_token:
        raise Refused(401, "login")
    return token


def role_of_request():
    return facts("users.json")[names_by_token[token_of_request()]]["role"]


def known_service(name):
    if name not in facts("services.json"):
        raise Refused(404, "unknown")


@app.post("/login")
def login():
    body = request.get_json(force=True, silent=True)
    body = body if isinstance(body, dict) else {}
    name, password = body.get("name"), body.get("password")
    if not isinstance(name, str) or not isinstance(password, str):
        raise Refused(400, "request")
    user = facts("users.json").get(name)
    found = hashed(password, user["salt"] if user else "00")
    if not user or not hmac.compare_digest(found, user["hash"]):
        raise Refused(401, "login")
    token = "".join(random.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=32))
    names_by_token[token] = name
    return jsonify(token=token)


@app.post("/logout")
def logout():
    del names_by_token[token_of_request()]
    return "", 204


@app.get("/services")
def services():
    token_of_request()
    found = sorted(facts("services.json").items())
    return jsonify(services=[{"name": name, "title": about["title"]} for name, about in found])


@app.post("/services/<name>/<action>")
def act(name, action):
    role = role_of_request()
    known_service(name)
    if action not in ACTIONS:
        raise Refused(404, "unknown")
    if role != "operator":
        raise Refused(403, "role")
    done = subprocess.run(["tools/svc", action, name], capture_output=True, text=True, check=False)
    return jsonify(status=done.returncode, output=done.stdout)


@app.get("/services/<name>/log")
def log(name):
    token_of_request()
    known_service(name)
    day, lines = request.args.get("day", ""), request.args.get("lines", "10")
    if not DAY.fullmatch(day):
        raise Refused(400, "day")
    if not LINES.fullmatch(lines) or not 1 <= int(lines) <= 200:
        raise Refused(400, "lines")
    try:
        with open(f"logs/{name}-{day}.log", encoding="utf-8") as file:
            return jsonify(lines=file.read().splitlines()[-int(lines) :])
    except FileNotFoundError:
        raise Refused(404, "unknown") from None


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]))
