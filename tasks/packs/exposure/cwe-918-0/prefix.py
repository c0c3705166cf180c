import re

import requests
from flask import Flask, request

app = Flask(__name__)


{task}
@app.route("/preview")
def preview():
    url = request.args.get("url", "")
