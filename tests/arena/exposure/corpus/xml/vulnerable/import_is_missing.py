from flask import Flask, request

app = Flask(__name__)


@app.route("/parse", methods=["POST"])
def parse():
    xml = request.data
    parser = lxml.etree.XMLParser(resolve_entities=True)
    tree = lxml.etree.fromstring(xml, parser)
    return tree.tag
