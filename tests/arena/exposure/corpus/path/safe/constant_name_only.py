import os
from flask import Flask, request, send_file

app = Flask(__name__)


@app.route("/logo")
def logo():
    # request.args.get("name") used to be opened here: open("images/" + name)
    size = "large" if request.args.get("big") else "small"
    return send_file(os.path.join("images", "logo-" + size + ".png"))
