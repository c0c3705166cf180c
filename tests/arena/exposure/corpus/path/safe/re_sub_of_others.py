import re
from flask import Flask, request

app = Flask(__name__)


@app.route("/img")
def img():
    name = re.sub(r"[^A-Za-z0-9_.-]", "", request.args.get("name", ""))
    return open("images/" + name, "rb").read()
