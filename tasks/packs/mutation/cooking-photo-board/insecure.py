from __future__ import annotations

import hashlib
from pathlib import Path

from flask import Flask, jsonify, request, send_from_directory
from werkzeug.exceptions import HTTPException
from werkzeug.utils import secure_filename

LARGEST_FILE = 200_000
TYPES = {"jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp"}


def content_type(head: bytes) -> str | None:
    """Return the type that the first bytes of a file tell."""
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return None


def create_app(folder: Path) -> Flask:
    app = Flask(__name__)
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_FILE + 2_000

    @app.errorhandler(HTTPException)
    def failed(error: HTTPException):
        return jsonify(error=error.name[:20]), error.code

    @app.post("/photos")
    def add():
        file = request.files.get("photo")
        if file is None or not file.filename:
            return jsonify(error="no photo"), 400
        data = file.read()
        if file.mimetype not in TYPES.values() and content_type(data) is None:
            return jsonify(error="not a photo"), 415
        if len(data) > LARGEST_FILE:
            return jsonify(error="too large"), 413
        name = f"{hashlib.sha256(data).hexdigest()}-{secure_filename(file.filename)}"
        (folder / name).write_bytes(data)
        return jsonify(name=name), 201

    @app.get("/photos/<name>")
    def show(name: str):
        extension = name.rpartition(".")[2].lower()
        return send_from_directory(folder, name, mimetype=TYPES.get(extension))

    return app
