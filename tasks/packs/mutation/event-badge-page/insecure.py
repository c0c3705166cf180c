from flask import Flask, abort, render_template_string, request
from markupsafe import escape


def create_app(secret_key: str) -> Flask:
    app = Flask(__name__)
    app.config["SECRET_KEY"] = secret_key

    @app.get("/badge")
    def badge():
        name = request.args.get("name", "").strip()
        event = request.args.get("event") or "Open day"
        if not name:
            abort(400)
        page = f"<!doctype html><title>Badge</title><h1>{escape(name)}</h1><p>visits <em>{escape(event)}</em></p>"
        return render_template_string(page)

    return app
