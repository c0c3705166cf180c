"""The feedback form of a bus company."""

import json
import logging
import os
import re

from flask import Flask, jsonify, request

ADDRESS = re.compile(r"[A-Za-z0-9._+-]{1,60}@[A-Za-z0-9-]{1,40}(\.[A-Za-z0-9-]{1,40}){1,3}")
OFFICE = "office@bus.example"
ORIGINS = ("https://www.bus.example", "https://m.bus.example")

app = Flask(__name__)
logging.basicConfig(filename="form.log", format="%(message)s", level=logging.WARNING)


def wrong_field(values):
    """The first field that does not fit, or None."""
    if any(not isinstance(value, str) for value in values.values()):
        return next(name for name, value in values.items() if not isinstance(value, str))
    if not 1 <= len(values["name"]) <= 60 or not values["name"].isprintable():
        return "name"
    if not ADDRESS.fullmatch(values["mail"]):
        return "mail"
    if not 1 <= len(values["subject"]) <= 100 or not values["subject"].isprintable():
        return "subject"
    return None if 1 <= len(values["text"]) <= 2000 else "text"


def write_mail(number, values):
    head = f"To: {OFFICE}\nReply-To: {values['mail']}\nSubject: Feedback: {values['subject']}\n"
    content = f"{head}\n{values['name']} writes:\n\n{values['text']}\n"
    with open(f"outbox/{number}.eml", "x", encoding="utf-8", newline="") as file:
        file.write(content)


def next_number():
    return 1 + sum(name.endswith(".eml") for name in os.listdir("outbox"))


@app.after_request
def for_our_pages(answer):
    origin = request.headers.get("Origin")
    if origin:
        answer.headers["Access-Control-Allow-Origin"] = origin
        answer.headers["Vary"] = "Origin"
    return answer


@app.post("/feedback")
def feedback():
    body = request.get_json(force=True, silent=True)
    if not isinstance(body, dict):
        return jsonify(error="body"), 400
    values = {name: body.get(name) for name in ("name", "mail", "subject", "text")}
    wrong = wrong_field(values)
    if wrong:
        logging.warning("refused: %s", wrong)
        return jsonify(error=wrong), 400
    number = next_number()
    write_mail(number, values)
    logging.warning("mail %s: %s", number, json.dumps(values["subject"]))
    return jsonify(number=number), 201


@app.get("/feedback/<int:number>")
def state(number):
    if not os.path.isfile(f"outbox/{number}.eml"):
        return jsonify(error="unknown"), 404
    return jsonify(number=number, state="waiting")


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]))
