import io
import xml.sax
import xml.sax.handler as h
from flask import Flask, request

app = Flask(__name__)


@app.post("/count")
def count():
    parser = xml.sax.make_parser()
    parser.setFeature(h.feature_namespaces, False)
    parser.setFeature(h.feature_external_ges, True)
    parser.setFeature(h.feature_validation, False)
    parser.setContentHandler(h.ContentHandler())
    parser.parse(io.BytesIO(request.data))
    return "parsed"
