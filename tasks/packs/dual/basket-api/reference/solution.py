"""Baskets of a shop for seeds."""

import json
import os
import re
import secrets

from flask import Flask, jsonify, request

MOST = 20
ID = re.compile(r"[a-z0-9-]{1,30}")

app = Flask(__name__)
baskets = {}
used_vouchers = set()


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


def facts():
    with open("shop.json", encoding="utf-8") as file:
        return json.load(file)


def body():
    found = request.get_json(force=True, silent=True)
    return found if isinstance(found, dict) else {}


def basket():
    found = baskets.get(request.headers.get("X-Basket", ""))
    if found is None:
        raise Refused(401, "basket")
    return found


def still_open():
    found = basket()
    if found["ordered"]:
        raise Refused(409, "ordered")
    return found


def answer(found, status=200):
    prices = facts()["prices"]
    goods = sum(prices[name] * count for name, count in found["items"].items())
    less = goods * found["percent"] // 100
    told = {"items": dict(sorted(found["items"].items())), "total": goods - less}
    return jsonify(ordered=found["ordered"], **told), status


@app.post("/baskets")
def begin():
    token = secrets.token_urlsafe(24)
    baskets[token] = {"items": {}, "percent": 0, "ordered": False}
    return jsonify(basket=token), 201


@app.get("/basket")
def show():
    return answer(basket())


@app.put("/basket/items/<name>")
def put(name):
    found, count = still_open(), body().get("count")
    if not ID.fullmatch(name) or name not in facts()["prices"]:
        raise Refused(404, "unknown")
    if type(count) is not int or not 0 <= count <= MOST:
        raise Refused(400, "count")
    found["items"][name] = count
    if count == 0:
        del found["items"][name]
    return answer(found)


@app.post("/basket/voucher")
def voucher():
    found, code = still_open(), body().get("code")
    percent = facts()["vouchers"].get(code) if isinstance(code, str) else None
    if percent is None or code in used_vouchers or found["percent"]:
        raise Refused(400, "voucher")
    used_vouchers.add(code)
    found["percent"] = percent
    return answer(found)


@app.post("/basket/order")
def order():
    found = still_open()
    if not found["items"]:
        raise Refused(400, "empty")
    found["ordered"] = True
    return answer(found)


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]))
