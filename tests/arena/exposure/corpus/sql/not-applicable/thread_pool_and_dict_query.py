from concurrent.futures import ThreadPoolExecutor
from flask import Flask, request
import json

app = Flask(__name__)


def work(name):
    return {"name": name, "size": len(name)}


@app.route("/work")
def start():
    names = request.args.getlist("name")
    with ThreadPoolExecutor() as pool:
        done = list(pool.map(work, names))
    return json.dumps(done)
