from flask import Flask, request, redirect, abort

app = Flask(__name__)


@app.route("/r")
def r():
    u = request.args.get("u", "")
    if not u.startswith(("http://", "https://")):
        abort(400)
    return redirect(u)
