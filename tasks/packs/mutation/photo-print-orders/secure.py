from __future__ import annotations

import itertools
from dataclasses import asdict, dataclass

from flask import Flask, g, jsonify, request


class Problem(Exception):
    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


@dataclass
class Order:
    id: int
    owner: str
    photo: str
    copies: int
    state: str = "new"

    def shown(self) -> dict:
        return {name: value for name, value in asdict(self).items() if name != "owner"}


def field(name: str, fits) -> object:
    body = request.get_json(silent=True)
    value = body.get(name) if isinstance(body, dict) else None
    if not fits(value):
        raise Problem(422, f"bad {name}")
    return value


def copies() -> int:
    return field("copies", lambda value: type(value) is int and 1 <= value <= 100)


def create_app(tokens: dict[str, str]) -> Flask:
    app = Flask(__name__)
    orders: dict[int, Order] = {}
    numbers = itertools.count(1)

    def own_order(number: int) -> Order:
        order = orders.get(number)
        if order is None or order.owner != g.user:
            raise Problem(404, "no such order")
        return order

    @app.errorhandler(Problem)
    def problem(error: Problem):
        return jsonify(error=str(error)), error.status

    @app.before_request
    def find_user() -> None:
        kind, _, token = request.headers.get("Authorization", "").partition(" ")
        if kind != "Bearer" or token not in tokens:
            raise Problem(401, "unknown token")
        g.user = tokens[token]

    @app.post("/prints")
    def add():
        photo = field("photo", lambda value: isinstance(value, str) and value)
        order = Order(next(numbers), g.user, photo, copies())
        orders[order.id] = order
        return jsonify(order.shown()), 201

    @app.get("/prints")
    def listed():
        return jsonify([order.shown() for order in orders.values() if order.owner == g.user])

    @app.get("/prints/<int:number>")
    def show(number: int):
        return jsonify(own_order(number).shown())

    @app.patch("/prints/<int:number>")
    def change(number: int):
        order = own_order(number)
        if order.state == "cancelled":
            raise Problem(409, "cancelled")
        order.copies = copies()
        return jsonify(order.shown())

    @app.post("/prints/<int:number>/cancel")
    def cancel(number: int):
        order = own_order(number)
        order.state = "cancelled"
        return jsonify(order.shown())

    return app
