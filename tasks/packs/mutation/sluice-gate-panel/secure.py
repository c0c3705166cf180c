from collections.abc import Callable
from functools import wraps
from typing import Any

from flask import Flask, abort, g, jsonify, request

View = Callable[..., Any]


def create_app(operators: dict[str, tuple[str, str]]) -> Flask:
    app = Flask(__name__)
    gates = {"north": 0, "south": 0}
    journal: list[dict[str, str]] = []

    def require_role(*roles: str) -> Callable[[View], View]:
        def decorate(view: View) -> View:
            @wraps(view)
            def checked(*args: Any, **kwargs: Any) -> Any:
                scheme, _, token = request.headers.get("Authorization", "").partition(" ")
                if scheme != "Bearer" or token not in operators:
                    abort(401)
                g.name, role = operators[token]
                if role not in roles:
                    abort(403)
                return view(*args, **kwargs)

            return checked

        return decorate

    def note(what: str) -> None:
        journal.append({"by": g.name, "what": what})

    @app.get("/gates")
    @require_role("viewer", "keeper", "chief")
    def show():
        return jsonify(gates=gates)

    @app.put("/gates/<gate>")
    @require_role("keeper", "chief")
    def move(gate: str):
        percent = request.get_json().get("percent")
        if gate not in gates:
            abort(404)
        if not isinstance(percent, int) or not 0 <= percent <= 100:
            abort(400)
        gates[gate] = percent
        note(f"{gate} {percent}")
        return jsonify(gates=gates)

    @app.post("/flood")
    @require_role("chief")
    def flood():
        gates.update(dict.fromkeys(gates, 100))
        note("flood")
        return jsonify(gates=gates)

    @app.get("/journal")
    @require_role("chief")
    def changes():
        return jsonify(journal)

    return app
