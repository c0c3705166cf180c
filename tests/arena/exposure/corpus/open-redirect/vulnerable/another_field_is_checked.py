import json
from flask import Flask, redirect, request

app = Flask(__name__)


@app.route("/event", methods=["POST"])
def event():
    data = json.loads(request.data)
    kind = data["kind"]
    if kind not in ("click", "view"):
        return "unknown kind", 400
    return redirect(data["url"])
