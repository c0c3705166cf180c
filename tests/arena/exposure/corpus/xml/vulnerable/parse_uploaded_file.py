import os
from flask import Flask, request
from lxml import etree as E
from werkzeug.utils import secure_filename

app = Flask(__name__)


@app.route("/up", methods=["POST"])
def up():
    f = request.files["f"]
    root = E.parse(f).getroot()
    return "%s: %d" % (secure_filename(f.filename), len(root))
