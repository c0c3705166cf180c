from __future__ import annotations

from flask import Flask, jsonify, request
from werkzeug.exceptions import HTTPException


class BadValue(ValueError):
    """A parameter out of its bounds."""


def whole(name: str, default: int) -> int:
    text = request.args.get(name, str(default))
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise BadValue(f"{name} is no number")
    return int(text)


def words() -> list[str]:
    return request.args.get("words", "").lower().split()


def create_app(products: list[dict]) -> Flask:
    app = Flask(__name__)
    prices = {product["name"]: product["price"] for product in products}

    @app.errorhandler(BadValue)
    def bad_value(error: BadValue):
        return jsonify(error=str(error)), 400

    @app.errorhandler(HTTPException)
    def http_error(error: HTTPException):
        return jsonify(error=error.name), error.code

    @app.get("/products")
    def catalogue():
        page, size = whole("page", 1), whole("size", 20)
        wanted = words()
        found = [p for p in products if all(word in p["name"].lower() for word in wanted)]
        return jsonify(page=page, total=len(found), items=found[(page - 1) * size : page * size])

    @app.post("/prices")
    def price_list():
        names = request.get_json()
        if not isinstance(names, list):
            raise BadValue("a list of names is needed")
        if not all(isinstance(name, str) for name in names):
            raise BadValue("a name is a text")
        return jsonify({name: prices[name] for name in names if name in prices})

    return app
