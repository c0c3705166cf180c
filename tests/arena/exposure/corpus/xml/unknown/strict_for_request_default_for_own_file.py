from lxml import etree
from flask import Flask, request

app = Flask(__name__)
SCHEMA = etree.parse("schema.xsd")


@app.post("/valid")
def valid():
    strict = etree.XMLParser(resolve_entities=False)
    document = etree.fromstring(request.data, strict)
    return str(etree.XMLSchema(SCHEMA).validate(document))
