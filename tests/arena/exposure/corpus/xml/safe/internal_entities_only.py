from lxml import etree
from flask import Flask, request

app = Flask(__name__)
OPTIONS = {"resolve_entities": "internal", "no_network": True}


@app.post("/note")
def note():
    # "internal" leaves entities of other files and addresses out
    parser = etree.XMLParser(**OPTIONS)
    return etree.fromstring(request.data, parser=parser).findtext("body", "")
