from lxml import etree
from flask import Flask, request

app = Flask(__name__)


@app.post("/read")
def read():
    expand = request.args.get("expand") == "yes"
    parser = etree.XMLParser(resolve_entities=expand)
    return etree.fromstring(request.data, parser).tag
