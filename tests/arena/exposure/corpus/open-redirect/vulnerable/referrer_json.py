from flask import Flask, request, redirect
import json

app = Flask(__name__)


@app.route("/hook", methods=["POST"])
def hook():
    data = request.get_json()
    try:
        url = data["callback"]
    except (KeyError, TypeError):
        return json.dumps({"error": "no callback"}), 400
    return redirect(url)
