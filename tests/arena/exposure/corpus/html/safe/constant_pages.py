import flask
from flask import Flask, request

app = Flask(__name__)
PAGES = {"en": "<p>Hello</p>", "de": "<p>Hallo</p>"}


@app.route("/hello/<username>")
def hello(username):
    language = request.args.get("lang", "en")
    flask.current_app.logger.info("hello to %s", username)
    if language not in PAGES:
        return "<p>No such language</p>", 404
    return PAGES[language]
