import xml.etree.ElementTree as ET
from flask import Flask, request, jsonify

app = Flask(__name__)


@app.route("/order", methods=["POST"])
def order():
    root = ET.fromstring(request.data)
    total = sum(int(item.get("amount")) for item in root.findall("item"))
    return jsonify(total=total)
