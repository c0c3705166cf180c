from lxml import etree
from flask import Flask, request

app = Flask(__name__)


@app.post("/check")
def check():
    # entities are left alone, but the DTD that the document names is fetched
    parser = etree.XMLParser(resolve_entities=False, load_dtd=True, no_network=False)
    root = etree.fromstring(request.get_data(), parser)
    return root.tag
