import functools
import hmac

from flask import Flask, abort, jsonify, request, session


def staff_only(view):
    @functools.wraps(view)
    def wrapper(*args, **kwargs):
        if session.get("staff") is None:
            abort(401)
        return view(*args, **kwargs)

    return wrapper


def create_app(secret_key: str, staff: dict[str, str]) -> Flask:
    app = Flask(__name__)
    app.secret_key = secret_key
    members: list[str] = []

    @app.post("/login")
    def login():
        name, code = request.form.get("name", ""), request.form.get("code", "")
        expected = staff.get(name)
        if not expected or not hmac.compare_digest(expected.encode(), code.encode()):
            abort(401)
        session.clear()
        session["staff"] = name
        return "", 204

    @app.post("/logout")
    def logout():
        session.clear()
        return "", 204

    @app.get("/hours")
    def hours():
        return jsonify(open="9-17")

    @app.get("/members")
    @staff_only
    def list_members():
        return jsonify(members)

    @app.post("/members")
    @staff_only
    def add_member():
        name = request.form.get("name", "").strip()
        if not name:
            abort(400)
        members.append(name)
        return "", 201

    @app.delete("/members/<name>")
    def remove_member(name):
        if name not in members:
            abort(404)
        members.remove(name)
        return "", 204

    @app.post("/fees/reset")
    def reset_fees():
        return jsonify(reset=len(members))

    return app
