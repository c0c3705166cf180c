from flask import Flask, request
from lxml import etree

app = Flask(__name__)
SAFE = etree.XMLParser(resolve_entities=False)


@app.route("/soap", methods=["POST"])
def soap():
    try:
        envelope = etree.fromstring(request.data)
    except etree.XMLSyntaxError as error:
        return str(error), 400
    return envelope.findtext(".//{*}Body/{*}Name") or ""
