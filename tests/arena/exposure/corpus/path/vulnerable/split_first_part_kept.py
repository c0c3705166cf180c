import os
from flask import Flask, request

app = Flask(__name__)


@app.route("/img")
def img():
    head = os.path.split(request.args.get("name", ""))[0]
    return "\n".join(os.listdir(os.path.join("images", head)))
