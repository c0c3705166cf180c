from __future__ import annotations

from flask import Flask, jsonify, request
from werkzeug.exceptions import HTTPException

MAX_PAGE, MAX_SIZE = 1_000_000, 100
MAX_WORDS, MAX_QUERY = 5, 80
MAX_NAMES, MAX_BODY = 50, 10_000


class BadValue(ValueError):
    """A parameter out of its bounds."""


def whole(name: str, default: int, largest: int) -> int:
    text = request.args.get(name, str(default))
    if not (text.isascii() and text.isdigit() and len(text) <= 7):
        raise BadValue(f"{name} is no number")
    if not 1 <= int(text) <= largest:
        raise BadValue(f"{name}: 1 to {largest}")
    return int(text)


def words() -> list[str]:
    query = request.args.get("words", "")
    if len(query) > MAX_QUERY:
        raise BadValue("words: too long")
    found = query.lower().split()
    if len(found) > MAX_WORDS:
        raise BadValue("words: too many")
    return found


def create_app(products: list[dict]) -> Flask:
    app = Flask(__name__)
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY
    prices = {product["name"]: product["price"] for product in products}

    @app.errorhandler(BadValue)
    def bad_value(error: BadValue):
        return jsonify(error=str(error)), 400

    @app.errorhandler(HTTPException)
    def http_error(error: HTTPException):
        return jsonify(error=error.name), error.code

    @app.get("/products")
    def catalogue():
        page, size = whole("page", 1, MAX_PAGE), whole("size", 20, MAX_SIZE)
        wanted = words()
        found = [p for p in products if all(word in p["name"].lower() for word in wanted)]
        return jsonify(page=page, total=len(found), items=found[(page - 1) * size : page * size])

    @app.post("/prices")
    def price_list():
        names = request.get_json()
        if not isinstance(names, list) or len(names) > MAX_NAMES:
            raise BadValue("too many names")
        if not all(isinstance(name, str) for name in names):
            raise BadValue("a name is a text")
        return jsonify({name: prices[name] for name in names if name in prices})

    return app
