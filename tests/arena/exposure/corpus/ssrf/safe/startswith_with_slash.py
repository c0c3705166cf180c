from flask import Flask, request, abort
import requests

app = Flask(__name__)


@app.route("/proxy")
def proxy():
    target = request.args.get("target", "")
    if not target.startswith("https://api.example.org/"):
        abort(403)
    return requests.get(target, allow_redirects=False).content
