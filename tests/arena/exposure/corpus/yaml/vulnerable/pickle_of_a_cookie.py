import base64
import pickle
from flask import Flask, request

app = Flask(__name__)


@app.route("/cart")
def cart():
    raw = request.cookies.get("cart")
    if not raw:
        return "empty"
    items = pickle.loads(base64.b64decode(raw))
    return ", ".join(items)
