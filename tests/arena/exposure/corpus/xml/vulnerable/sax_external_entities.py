import io
import xml.sax
from xml.sax.handler import ContentHandler, feature_external_ges
from flask import Flask, request

app = Flask(__name__)


class Names(ContentHandler):
    def __init__(self):
        super().__init__()
        self.found = []

    def startElement(self, name, attrs):
        self.found.append(name)


@app.route("/names", methods=["PUT"])
def names():
    handler = Names()
    parser = xml.sax.make_parser()
    parser.setFeature(feature_external_ges, True)
    parser.setContentHandler(handler)
    parser.parse(io.BytesIO(request.data))
    return ",".join(handler.found)
