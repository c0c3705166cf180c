import sqlite3
import traceback
import uuid
from contextlib import closing

from flask import Flask, jsonify, request
from werkzeug.exceptions import HTTPException


def create_app(db_path: str) -> Flask:
    app = Flask(__name__)

    def connect():
        db = sqlite3.connect(db_path)
        db.row_factory = sqlite3.Row
        return closing(db)

    with connect() as db:
        db.execute("CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, customer, quantity)")

    @app.errorhandler(HTTPException)
    def refused(error):
        return jsonify(error=error.name), error.code

    @app.errorhandler(Exception)
    def failed(error):
        incident = uuid.uuid4().hex[:12]
        app.logger.error("incident %s at %s", incident, request.path, exc_info=error)
        details = traceback.format_exception(error)
        return jsonify(error=str(error), incident=incident, details=details), 500

    @app.post("/orders")
    def add_order():
        body = request.get_json(silent=True)
        if not isinstance(body, dict) or not isinstance(body.get("quantity"), int):
            return jsonify(error="customer and quantity are needed"), 400
        with connect() as db, db:
            cursor = db.execute(
                "INSERT INTO orders (customer, quantity) VALUES (?, ?)",
                (body.get("customer"), body["quantity"]),
            )
        return jsonify(id=cursor.lastrowid), 201

    def find(order_id):
        with connect() as db:
            return db.execute("SELECT * FROM orders WHERE id = ?", (order_id,)).fetchone()

    @app.get("/orders/<int:order_id>")
    def show_order(order_id):
        order = find(order_id)
        if order is None:
            return jsonify(error="no such order"), 404
        return jsonify(dict(order))

    @app.get("/orders/<int:order_id>/share")
    def share_order(order_id):
        order = find(order_id)
        return jsonify(each=order["quantity"] / int(request.args["people"]))

    return app
