import defusedxml.lxml as safe_lxml
from lxml import etree
from flask import Flask, request

app = Flask(__name__)


@app.post("/check")
def check():
    root = safe_lxml.fromstring(request.data)
    return etree.tostring(root, pretty_print=True)
