from flask import Blueprint, abort, request, url_for

users = Blueprint("users", __name__)
KNOWN = {"ada": "Ada", "alan": "Alan"}


@users.route("/users/<slug>")
def show(slug):
    try:
        full = KNOWN[slug]
    except KeyError:
        return "<p>No user called <i>%(slug)s</i></p>" % {"slug": slug}, 404
    return "<p>" + full + "</p>"
