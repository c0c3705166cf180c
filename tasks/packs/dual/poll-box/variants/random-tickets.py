"""Polls of a village council."""

import hmac
import html
import itertools
import os
import random

from flask import Flask, jsonify, request

app = Flask(__name__)
app.config["MAX_CONTENT_LENGTH"] = 8_000
numbers = itertools.count(1)
polls = {}


class Refused(Exception):
    def __init__(self, status, error):
        super().__init__(error)
        self.status, self.error = status, error


@app.errorhandler(Refused)
def refused(reason):
    return jsonify(error=reason.error), reason.status


@app.errorhandler(404)
def no_such_path(_):
    return jsonify(error="unknown"), 404


def body():
    found = request.get_json(force=True, silent=True)
    return found if isinstance(found, dict) else {}


def is_text(value, most):
    return isinstance(value, str) and 1 <= len(value) <= most


def poll(number):
    if number not in polls:
        raise Refused(404, "unknown")
    return polls[number]


def of_chair(number):
    found, key = poll(number), request.headers.get("X-Chair", "")
    if not hmac.compare_digest(key.encode(), found["chair"].encode()):
        raise Refused(403, "chair")
    return found


@app.post("/polls")
def ask():
    question, options, voters = (body().get(key) for key in ("question", "options", "voters"))
    if not is_text(question, 200):
        raise Refused(400, "question")
    fits = isinstance(options, list) and 2 <= len(options) <= 10
    if not fits or not all(is_text(one, 60) for one in options) or len(set(options)) < len(options):
        raise Refused(400, "options")
    if type(voters) is not int or not 1 <= voters <= 50:
        raise Refused(400, "voters")
    tickets = [f"{random.randrange(16**24):024x}" for _ in range(voters)]
    number, chair = next(numbers), f"{random.randrange(16**32):032x}"
    polls[number] = {"question": question, "chair": chair, "open": True}
    polls[number] |= {"options": options, "choices": dict.fromkeys(tickets)}
    return jsonify(id=number, chair=chair, tickets=tickets), 201


@app.post("/polls/<int:number>/votes")
def vote(number):
    found, ticket, option = poll(number), body().get("ticket"), body().get("option")
    if not isinstance(ticket, str) or ticket not in found["choices"]:
        raise Refused(403, "ticket")
    if not found["open"]:
        raise Refused(409, "closed")
    if found["choices"][ticket] is not None:
        raise Refused(409, "voted")
    if not isinstance(option, str) or option not in found["options"]:
        raise Refused(400, "option")
    found["choices"][ticket] = option
    return "", 204


@app.post("/polls/<int:number>/close")
def close(number):
    of_chair(number)["open"] = False
    return "", 204


@app.get("/polls/<int:number>/result")
def result(number):
    found = poll(number) if not poll(number)["open"] else of_chair(number)
    cast = list(found["choices"].values())
    return jsonify(result=[[option, cast.count(option)] for option in found["options"]])


@app.get("/polls/<int:number>")
def page(number):
    found = poll(number)
    items = "".join(
        f'<label><input type="radio" name="option" value="{html.escape(option)}">'
        f"{html.escape(option)}</label>"
        for option in found["options"]
    )
    return f"""<!doctype html><meta charset="utf-8"><title>Poll {number}</title>
<h1>{html.escape(found["question"])}</h1><form>{items}</form>"""


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]))
