from xml.dom import pulldom
from xml.sax import make_parser
from xml.sax.handler import feature_external_ges
from flask import Flask, request

app = Flask(__name__)


@app.route("/pull")
def pull():
    parser = make_parser()
    parser.setFeature(feature_external_ges, True)
    events = pulldom.parseString(request.args["xml"], parser=parser)
    return str(sum(1 for _ in events))
