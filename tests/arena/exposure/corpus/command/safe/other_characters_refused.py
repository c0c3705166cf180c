import os
import re
from flask import Flask, abort, request

app = Flask(__name__)


def checked(name):
    if re.search(r"[^A-Za-z0-9.-]", name):
        abort(400)
    return name


@app.route("/ping")
def ping():
    return str(os.system("ping -c 1 " + checked(request.args["host"])))
