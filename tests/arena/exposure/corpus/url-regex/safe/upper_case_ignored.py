import re
from flask import Flask, abort, redirect, request

app = Flask(__name__)
rv = re.compile(r"^(?:http|https)://(?:[A-Z0-9-]+\.)*EXAMPLE\.COM(?:/|$)", re.I | re.U)


@app.route("/case")
def case():
    target = request.args.get("target", "")
    if not rv.match(target):
        abort(400)
    return redirect(target)
