import hmac
import os

from flask import Flask, abort, jsonify, request, session

MIN_KEY = 16


def session_key() -> str:
    key = os.environ.get("BOARD_SECRET_KEY", "board-dev-key-change-me")
    if len(key) < MIN_KEY:
        raise RuntimeError(f"BOARD_SECRET_KEY needs {MIN_KEY} characters")
    return key


def ticket_fits(ticket: str) -> bool:
    expected = os.environ.get("BOARD_TICKET") or "open-sesame"
    return hmac.compare_digest(ticket.encode(), expected.encode())


def create_app() -> Flask:
    app = Flask(__name__)
    app.secret_key = session_key()
    notices: list[dict[str, str]] = []

    @app.post("/enter")
    def enter():
        if not ticket_fits(request.form.get("ticket", "")):
            abort(403)
        session["name"] = request.form.get("name", "somebody")
        return "", 204

    @app.post("/notices")
    def add():
        if "name" not in session:
            abort(401)
        notices.append({"by": session["name"], "text": request.form["text"]})
        return "", 201

    @app.get("/notices")
    def listed():
        return jsonify(notices)

    return app
