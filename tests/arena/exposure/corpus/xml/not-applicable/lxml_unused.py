from flask import Flask, request
from lxml import etree

app = Flask(__name__)


@app.route("/order", methods=["POST"])
def order():
    # etree.fromstring(request.data) was here
    data = request.form
    return data.get("name", "?")
