from flask import Flask, request
from lxml import etree

app = Flask(__name__)


@app.route("/feed", methods=["POST"])
def feed():
    parser = etree.XMLParser(recover=True)
    while True:
        chunk = request.stream.read(4096)
        if not chunk:
            break
        parser.feed(chunk)
    root = parser.close()
    return root.tag
