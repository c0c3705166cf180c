import sqlite3
from contextlib import closing

from flask import Flask, abort, jsonify, request

SORTS = ("sku", "name", "stock")


def create_app(database: str) -> Flask:
    app = Flask(__name__)

    def rows(statement: str, *values: object) -> list[dict]:
        with closing(sqlite3.connect(database)) as connection:
            connection.row_factory = sqlite3.Row
            return [dict(row) for row in connection.execute(statement, values)]

    @app.get("/parts")
    def parts():
        sort = request.args.get("sort", "sku")
        if sort not in SORTS:
            abort(400)
        statement, values = "SELECT sku, name, stock FROM part WHERE instr(name, ?) > 0", [request.args.get("text", "")]
        if "shelf" in request.args:
            statement += " AND shelf = ?"
            values.append(request.args["shelf"])
        return jsonify(parts=rows(f"{statement} ORDER BY {sort}", *values))

    @app.get("/parts/<sku>")
    def part(sku):
        found = rows("SELECT sku, name, stock FROM part WHERE sku = ?", sku)
        if not found:
            abort(404)
        return jsonify(found[0])

    @app.post("/parts/<sku>/take")
    def take(sku):
        count = request.form.get("count", type=int)
        if count is None or not 1 <= count <= 1000:
            abort(400)
        with closing(sqlite3.connect(database)) as connection, connection:
            taken = connection.execute(
                "UPDATE part SET stock = stock - ? WHERE sku = ? AND stock >= ?", (count, sku, count)
            ).rowcount
        left = rows("SELECT stock FROM part WHERE sku = ?", sku)
        if not left:
            abort(404)
        return (jsonify(left[0]), 200) if taken else (jsonify(error="too few"), 409)

    return app
