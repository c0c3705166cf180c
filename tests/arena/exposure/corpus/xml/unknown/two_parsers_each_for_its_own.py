from lxml import etree
from flask import Flask, request

app = Flask(__name__)


def own_catalogue():
    with_entities = etree.XMLParser(resolve_entities=True)
    return etree.parse("catalogue.xml", with_entities)


@app.post("/lookup")
def lookup():
    strict = etree.XMLParser(resolve_entities=False)
    asked = etree.fromstring(request.data, strict)
    return str(len(own_catalogue().findall(asked.tag)))
