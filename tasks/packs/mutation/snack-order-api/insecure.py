from __future__ import annotations

from flask import Flask, jsonify, request

PRICES = {"tea": 250, "soup": 480, "cake": 390}
TABLES = range(1, 41)
QUANTITIES = range(1, 21)


class BadOrder(ValueError):
    """The order breaks a rule of the canteen."""


def whole_number(value: object, allowed: range, name: str) -> int:
    if not isinstance(value, (int, float)) or value > allowed[-1]:
        raise BadOrder(f"{name} must be a number up to {allowed[-1]}")
    return value


def read_lines(lines: object) -> dict[str, int]:
    if not isinstance(lines, list) or not lines:
        raise BadOrder("an order has at least one line")
    ordered: dict[str, int] = {}
    for line in lines:
        if not isinstance(line, dict):
            raise BadOrder("a line is an object")
        sku = line.get("sku")
        if not isinstance(sku, str) or sku not in PRICES:
            raise BadOrder("unknown sku")
        quantity = whole_number(line.get("quantity"), QUANTITIES, "quantity")
        ordered[sku] = ordered.get(sku, 0) + quantity
    return ordered


def create_app() -> Flask:
    app = Flask(__name__)

    @app.post("/orders")
    def place_order():
        body = request.get_json(silent=True)
        try:
            if not isinstance(body, dict):
                raise BadOrder("the body is no JSON object")
            table = whole_number(body.get("table"), TABLES, "table")
            ordered = read_lines(body.get("lines"))
        except BadOrder as error:
            return jsonify(error=str(error)), 400
        cents = sum(PRICES[sku] * count for sku, count in ordered.items())
        return jsonify(table=table, items=sum(ordered.values()), cents=cents), 201

    return app
