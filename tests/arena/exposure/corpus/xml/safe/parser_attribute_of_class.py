from lxml import etree
from flask import Flask, request


class Reader:
    def __init__(self):
        self.parser = etree.XMLParser(
            remove_blank_text=True,
            resolve_entities=False,
        )

    def read(self, text):
        return etree.fromstring(text.encode(), self.parser)


app = Flask(__name__)


@app.post("/tag")
def tag():
    return Reader().read(request.form["xml"]).tag
