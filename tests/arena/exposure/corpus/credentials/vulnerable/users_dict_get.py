import flask
from flask import jsonify

api = flask.Blueprint("api", __name__)

MODERATORS = {
    "lena": "winter-is-near",
    "pavel": "9-lives",
}


@api.post("/is_mod")
def is_mod():
    data = flask.request.get_json()
    user = data.get("user", "")
    pw = data.get("password", "")
    ok = MODERATORS.get(user) == pw
    return jsonify(moderator=ok)
