import os

from flask import Flask, abort, request, send_file


def create_app(recordings: str) -> Flask:
    app = Flask(__name__)

    @app.get("/audio")
    def audio():
        name = request.args.get("file", "")
        path = os.path.join(recordings, name.replace("../", ""))
        if not name or not os.path.isfile(path):
            abort(404)
        return send_file(path)

    return app
