from flask import Flask, redirect, request

app = Flask(__name__)


@app.route("/go")
def go():
    next_page = request.args.get("next")
    # TODO: check it, then redirect(next_page)
    ...
