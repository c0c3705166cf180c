from flask import Flask, abort, jsonify, request

NIGHT_CENTS = 6500


def check(booking: dict) -> None:
    for field in ("guest", "room"):
        if not isinstance(booking.get(field), str) or not booking[field]:
            raise ValueError(f"{field} is needed")
    nights = booking.get("nights")
    if type(nights) is not int or not 1 <= nights <= 30:
        raise ValueError("nights: 1 to 30")


def price(booking: dict) -> int:
    return booking["nights"] * NIGHT_CENTS * (100 - booking["discount"]) // 100


def apply_changes(booking: dict, data: dict) -> dict:
    changed = {**booking, **data}
    check(changed)
    changed["price_cents"] = data.get("price_cents", price(changed))
    booking.update(changed)
    return booking


def create_app() -> Flask:
    app = Flask(__name__)
    bookings: dict[int, dict] = {}

    def body() -> dict:
        data = request.get_json(silent=True)
        if not isinstance(data, dict):
            abort(400)
        return data

    def changed(booking: dict) -> dict:
        try:
            return apply_changes(booking, body())
        except ValueError as error:
            abort(400, str(error))

    @app.post("/bookings")
    def add():
        new = {"id": len(bookings) + 1, "status": "requested", "discount": 0}
        bookings[new["id"]] = booking = changed(new)
        return jsonify(booking), 201

    @app.get("/bookings/<int:number>")
    def show(number: int):
        return jsonify(bookings.get(number) or abort(404))

    @app.patch("/bookings/<int:number>")
    def change(number: int):
        return jsonify(changed(bookings.get(number) or abort(404)))

    return app
