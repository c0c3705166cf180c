from lxml import etree
from flask import Flask, request


class Reader:
    parser = etree.XMLParser(remove_blank_text=True)

    def read(self, text):
        return etree.fromstring(text.encode(), self.parser)


app = Flask(__name__)
reader = Reader()


@app.post("/tag")
def tag():
    return reader.read(request.form["xml"]).tag
