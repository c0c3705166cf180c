from lxml import etree
from flask import Flask, request

app = Flask(__name__)


@app.post("/read")
def read():
    loose = request.args.get("loose")
    if loose:
        parser = etree.XMLParser(resolve_entities=True, recover=True)
    else:
        parser = etree.XMLParser(resolve_entities=False)
    return etree.fromstring(request.data, parser).tag
