import io
import xml.sax
from flask import Flask, request

app = Flask(__name__)


class Names(xml.sax.ContentHandler):
    found = ()

    def startElement(self, name, attrs):
        self.found += (name,)


@app.route("/names", methods=["PUT"])
def names():
    handler = Names()
    xml.sax.parse(io.BytesIO(request.data), handler)
    return ",".join(handler.found)
