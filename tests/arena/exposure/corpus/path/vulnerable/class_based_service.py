import os
from flask import Flask, request, Response


class ImageStore:
    def __init__(self, root):
        self.root = root

    def path(self, name):
        return os.path.join(self.root, name)

    def load(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()


app = Flask(__name__)
store = ImageStore("images")


@app.route("/img")
def img():
    return Response(store.load(request.args.get("name")), mimetype="image/png")
