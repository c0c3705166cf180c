from flask import Blueprint, redirect, request, abort

links = Blueprint("links", __name__, url_prefix="/links")
PREFIXES = ("http://example.com", "https://example.com", "https://www.example.com")


@links.route("/open", methods=["POST"])
def open_link():
    target = request.form["target"]
    if target.startswith(PREFIXES):
        return redirect(target)
    abort(403)
