from flask import Flask, request, redirect, abort

app = Flask(__name__)


@app.route("/go")
def go():
    target = request.args.get("target", "")
    if not target.startswith("https://example.com"):
        abort(400)
    return redirect(target)
