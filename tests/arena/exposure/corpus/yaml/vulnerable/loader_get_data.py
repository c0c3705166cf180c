from yaml import Loader
from flask import Flask, request

app = Flask(__name__)


@app.route("/one")
def one():
    loader = Loader(request.args["doc"])
    try:
        data = loader.get_data()
    finally:
        loader.dispose()
    return str(data)
