import os.path as osp
from flask import Flask, redirect, request

app = Flask(__name__)


@app.route("/img")
def img():
    name = request.args.get("n")
    if name is None:
        return "which one?", 400
    if osp.isfile("static/images/" + name):
        return redirect("/static/images/" + name)
    return "not found", 404
