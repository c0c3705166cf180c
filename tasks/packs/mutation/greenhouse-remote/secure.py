from urllib.parse import urlsplit

from flask import Flask, abort, jsonify, request

READING = {"GET", "HEAD", "OPTIONS"}


def site_of(address: str | None) -> tuple[str, str]:
    """Return scheme and host with port of an address, two empty texts where there are none."""
    try:
        parts = urlsplit(address or "")
    except ValueError:
        return "", ""
    return parts.scheme, parts.netloc


def create_app(host: str = "greenhouse.local") -> Flask:
    app = Flask(__name__)
    state = {"vents": "closed", "heating": 18, "water": 0}

    @app.before_request
    def from_own_pages():
        if request.method in READING:
            return None
        origin = request.headers.get("Origin", request.headers.get("Referer"))
        if site_of(origin) != ("https", host):
            return jsonify(error="not from the panel"), 403
        return None

    @app.get("/state")
    def show():
        return jsonify(state)

    @app.post("/vents")
    def vents():
        wanted = (request.get_json(silent=True) or {}).get("to")
        if wanted not in ("open", "closed"):
            abort(422)
        state["vents"] = wanted
        return jsonify(state)

    @app.put("/heating")
    def heating():
        degrees = (request.get_json(silent=True) or {}).get("degrees")
        if not isinstance(degrees, int) or not 5 <= degrees <= 30:
            abort(422)
        state["heating"] = degrees
        return jsonify(state)

    @app.post("/water")
    def pour():
        state["water"] += 1
        return jsonify(state)

    @app.delete("/water")
    def reset():
        state["water"] = 0
        return jsonify(state)

    return app
