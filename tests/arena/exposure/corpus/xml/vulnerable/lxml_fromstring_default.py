from flask import Flask, request, jsonify
from lxml import etree

app = Flask(__name__)


@app.route("/order", methods=["POST"])
def order():
    root = etree.fromstring(request.data)
    total = 0
    for item in root.findall("item"):
        total += int(item.get("amount"))
    return jsonify(total=total)
