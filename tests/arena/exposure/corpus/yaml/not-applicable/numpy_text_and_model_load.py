from flask import Flask, request

app = Flask(__name__)


class Catalogue:
    def __init__(self):
        self.items = {}

    def load(self, text):
        for line in text.split("\n"):
            code, _, price = line.partition(" ")
            self.items[code] = float(price or 0)


@app.post("/catalogue")
def catalogue():
    book = Catalogue()
    book.load(request.get_data(as_text=True))
    return str(len(book.items))
