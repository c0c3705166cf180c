import pickle
import yaml
from flask import Flask, request

app = Flask(__name__)
EMPTY = pickle.loads(b"\x80\x03}q\x00.")


@app.route("/merge")
def merge():
    result = dict(EMPTY)
    result.update(yaml.load(request.args["doc"], Loader=yaml.CSafeLoader))
    return str(len(result))
