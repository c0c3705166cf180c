from lxml import etree
from flask import Flask, request

app = Flask(__name__)
OPTIONS = {"resolve_entities": True, "load_dtd": True, "no_network": False}


@app.post("/note")
def note():
    parser = etree.XMLParser(**OPTIONS)
    return etree.fromstring(request.data, parser=parser).findtext("body", "")
