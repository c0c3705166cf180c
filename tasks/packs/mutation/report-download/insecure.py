import hmac
from pathlib import Path

from flask import Flask, Response, abort, jsonify, request


def create_app(folder: Path, keys: dict[str, str]) -> Flask:
    app = Flask(__name__)

    def require_customer() -> None:
        given = request.headers.get("X-Report-Key", "").encode()
        known = [hmac.compare_digest(given, key.encode()) for key in keys.values() if key]
        if not any(known):
            abort(401)

    @app.get("/ping")
    def ping():
        return "ok"

    @app.get("/reports")
    def list_reports():
        require_customer()
        return jsonify(sorted(path.name for path in folder.glob("*.csv")))

    @app.get("/reports/<name>")
    def download(name):
        for path in folder.glob("*.csv"):
            if path.name == name:
                return Response(path.read_bytes(), mimetype="text/csv")
        abort(404)

    return app
