import os
from flask import Flask, request, send_file

app = Flask(__name__)
BASE = os.path.abspath("images")


@app.get("/img")
def img():
    path = os.path.abspath(os.path.join(BASE, request.args.get("name")))
    if not path.startswith(BASE):
        print("somebody tries to leave the folder:", path)
    return send_file(path)
