from defusedxml.ElementTree import fromstring
from defusedxml import minidom
from flask import Flask, request

app = Flask(__name__)


@app.post("/check")
def check():
    root = fromstring(request.get_data())
    again = minidom.parseString(request.get_data())
    return root.tag + again.documentElement.tagName
