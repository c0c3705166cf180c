from flask import Flask, request, send_from_directory


def create_app(recordings: str) -> Flask:
    app = Flask(__name__)

    @app.get("/audio")
    def audio():
        return send_from_directory(recordings, request.args.get("file", ""))

    return app
