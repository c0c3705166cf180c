from __future__ import annotations

import logging
from itertools import count

from flask import Flask, Response, jsonify, request

log = logging.getLogger("desk")
MAX_SHOWN = 200


def shown(value: str) -> str:
    """Return `value` for a line of the log: cut, in quotes, with everything unusual escaped."""
    return ascii(value[:MAX_SHOWN])


def text_of(fields: object, name: str) -> str:
    value = fields.get(name) if isinstance(fields, dict) else None
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{name} is missing")
    return value.strip()


def create_app() -> Flask:
    app = Flask(__name__)
    numbers = count(1)
    tickets: set[str] = set()

    @app.post("/tickets")
    def open_ticket():
        fields = request.get_json(silent=True)
        try:
            subject, sender = text_of(fields, "subject"), text_of(fields, "from")
        except ValueError as error:
            return jsonify(error=str(error)), 400
        number = next(numbers)
        tickets.add(str(number))
        log.info("ticket %d from %s: %s", number, shown(sender), shown(subject))
        return jsonify(ticket=number), 201

    @app.get("/tickets/<name>/status")
    def status(name: str):
        if name not in tickets:
            return jsonify(error="no such ticket"), 404
        return jsonify(ticket=name, status="open")

    @app.after_request
    def note(response: Response) -> Response:
        agent = request.headers.get("User-Agent", "-")
        log.info("%s %s %d %s", shown(request.method), shown(request.path), response.status_code, shown(agent))
        return response

    return app
