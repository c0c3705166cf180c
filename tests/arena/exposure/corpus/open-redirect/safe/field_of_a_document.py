import json
from flask import Flask, redirect, request

app = Flask(__name__)
PAGES = ["/a", "/b"]


@app.route("/event", methods=["POST"])
def event():
    data = json.loads(request.data)
    url = data["url"]
    if url not in PAGES:
        return "unknown page", 400
    return redirect(url)
