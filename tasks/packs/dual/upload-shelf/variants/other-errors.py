"""The picture shelf of a garden club."""

import html
import os
import re

from flask import Flask, Response, jsonify, request

SHELF = "shelf"
MAX_BYTES = 100_000
NAME = re.compile(r"[a-z0-9_-]{1,40}\.(png|jpg|gif)")
KINDS = {
    "png": ("image/png", (b"\x89PNG\r\n\x1a\n",)),
    "jpg": ("image/jpeg", (b"\xff\xd8\xff",)),
    "gif": ("image/gif", (b"GIF87a", b"GIF89a")),
}

app = Flask(__name__)


def error(status, what):
    return jsonify(error=what), status


def picture_path(name):
    """The path of the picture of that name, or None where there is none."""
    path = os.path.join(SHELF, name)
    return path if NAME.fullmatch(name) and is_regular(path) else None


def is_regular(path):
    return os.path.isfile(path) and not os.path.islink(path)


def caption_of(name):
    path = os.path.join(SHELF, name + ".txt")
    if not is_regular(path):
        return ""
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


@app.post("/pictures")
def add_picture():
    picture, caption = request.files.get("picture"), request.form.get("caption")
    if picture is None or caption is None:
        return error(422, "form")
    name = picture.filename or ""
    fits = NAME.fullmatch(name)
    if not fits:
        return error(400, "filename")
    if not 1 <= len(caption) <= 200:
        return error(400, "caption")
    content = picture.stream.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        return error(413, "size")
    if not content.startswith(KINDS[fits[1]][1]):
        return error(400, "content")
    return store(name, content, caption)


def store(name, content, caption):
    try:
        with open(os.path.join(SHELF, name), "xb") as file:
            file.write(content)
    except FileExistsError:
        return error(409, "taken")
    with open(os.path.join(SHELF, name + ".caption"), "w", encoding="utf-8", newline="") as file:
        file.write(caption)
    return jsonify(name=name), 201


@app.get("/")
def page():
    items = []
    for name in sorted(filter(picture_path, os.listdir(SHELF))):
        caption = html.escape(caption_of(name))
        items.append(
            f'<li><img src="/pictures/{name}" alt="{caption}"> <span>{caption}</span></li>'
        )
    head = "<!doctype html><meta charset=utf-8><title>Pictures</title>"
    return f"{head}<ul>{''.join(items)}</ul>"


@app.get("/pictures/<name>")
def show_picture(name):
    path = picture_path(name)
    if path is None:
        return error(200, "no such picture")
    with open(path, "rb") as file:
        content = file.read()
    kind = KINDS[name.rpartition(".")[2]][0]
    return Response(content, mimetype=kind, headers={"X-Content-Type-Options": "nosniff"})


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]))
