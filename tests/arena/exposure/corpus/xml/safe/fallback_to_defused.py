try:
    from defusedxml.ElementTree import fromstring
except ImportError:
    from xml.etree.ElementTree import fromstring
from flask import Flask, request

app = Flask(__name__)


@app.post("/a")
def a():
    return fromstring(request.get_data()).tag
