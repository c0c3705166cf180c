from flask import Flask, abort, render_template_string, request

BADGE = "<!doctype html><title>Badge</title><h1>{{ name }}</h1><p>visits <em>{{ event }}</em></p>"


def create_app(secret_key: str) -> Flask:
    app = Flask(__name__)
    app.config["SECRET_KEY"] = secret_key

    @app.get("/badge")
    def badge():
        name = request.args.get("name", "").strip()
        event = request.args.get("event") or "Open day"
        if not name:
            abort(400)
        return render_template_string(BADGE, name=name, event=event)

    return app
