from flask import Flask, request
from flask import redirect as send

app = Flask(__name__)


def finish(message, where):
    app.logger.info(message)
    return send(where)


@app.route("/vote", methods=["POST"])
def vote():
    choice = request.form.get("choice")
    return finish(f"voted {choice}", request.form.get("return_to") or "/")
