from flask import Flask, request, abort

app = Flask(__name__)


@app.route("/reset/<token>")
def reset(token):
    if token not in app.config["PENDING"]:
        abort(404)
    return "choose a new password"
