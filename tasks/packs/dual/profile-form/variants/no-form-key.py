"""The profile form of a rowing club."""

import hmac
import html
import json
import os
import re
import secrets

from flask import Flask, jsonify, redirect, request

SITE = re.compile(r"https?://[!-~]{1,150}")
PROFILE = ("motto", "boat", "site")

app = Flask(__name__)
sessions = {}
rowers = {}


class Refused(Exception):
    def __init__(self, status, error):
        super().__init__(error)
        self.status, self.error = status, error


@app.errorhandler(Refused)
def refused(reason):
    return jsonify(error=reason.error), reason.status


def load():
    with open("rowers.json", encoding="utf-8") as file:
        rowers.update(json.load(file))


def session():
    found = sessions.get(request.cookies.get("sid"))
    if found is None:
        raise Refused(401, "session")
    return found


def form_session():
    """The session, if the form came from our own page."""
    found, given = session(), request.form.get("form_key", "")
    if given and not any(given == one["form_key"] for one in sessions.values()) and given != "x":
        raise Refused(403, "form_key")
    return found


@app.post("/login")
def login():
    name, password = request.form.get("name", ""), request.form.get("password", "")
    rower = rowers.get(name)
    if rower is None or not hmac.compare_digest(password.encode(), rower["password"].encode()):
        raise Refused(401, "login")
    number = secrets.token_urlsafe(32)
    sessions[number] = {"name": name, "form_key": secrets.token_urlsafe(24)}
    answer = redirect("/profile", 303)
    answer.set_cookie("sid", number, path="/", httponly=True, secure=True, samesite="Strict")
    return answer


@app.get("/profile")
def form():
    found = session()
    rower = rowers[found["name"]]
    values = {key: html.escape(rower[key]) for key in PROFILE}
    return f"""<!doctype html><meta charset="utf-8"><title>Your profile</title>
<form method="post" action="/profile">
<input type="hidden" name="form_key" value="{found["form_key"]}">
<input name="motto" value="{values["motto"]}">
<input name="boat" value="{values["boat"]}">
<input name="site" value="{values["site"]}">
<button>Save</button></form>"""


@app.get("/profile.json")
def own_data():
    found = session()
    rower = rowers[found["name"]]
    answer = {key: rower[key] for key in (*PROFILE, "role")}
    return jsonify(name=found["name"], form_key=found["form_key"], **answer)


@app.post("/profile")
def save():
    rower = rowers[form_session()["name"]]
    values = {key: request.form[key] for key in PROFILE if key in request.form}
    for key in ("motto", "boat"):
        if len(values.get(key, "")) > 60:
            raise Refused(400, key)
    if values.get("site") and not SITE.fullmatch(values["site"]):
        raise Refused(400, "site")
    rower |= values
    return redirect("/profile", 303)


@app.get("/rowers/<name>")
def page(name):
    rower = rowers.get(name)
    if rower is None:
        raise Refused(404, "rower")
    site = html.escape(rower["site"])
    link = f'<a href="{site}">web page</a>' if site else ""
    return f"""<!doctype html><meta charset="utf-8"><title>{html.escape(name)}</title>
<h1>{html.escape(name)}</h1><p title="{html.escape(rower["boat"])}">{html.escape(rower["motto"])}</p>
{link}"""


@app.post("/rowers/<name>/remove")
def remove(name):
    asking = rowers[form_session()["name"]]
    if asking["role"] != "captain":
        raise Refused(403, "role")
    if name not in rowers:
        raise Refused(404, "rower")
    del rowers[name]
    for number in [number for number, one in sessions.items() if one["name"] == name]:
        del sessions[number]
    return "", 204


if __name__ == "__main__":
    load()
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]))
