from flask import Flask, request, jsonify

app = Flask(__name__)


@app.route("/order", methods=["POST"])
def order():
    items = request.get_json()["items"]
    total = 0
    for item in items:
        total += int(item["amount"])
    return jsonify(total=total)
