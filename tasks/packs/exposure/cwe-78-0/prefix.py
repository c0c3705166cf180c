import os
import subprocess

from flask import Flask, request

app = Flask(__name__)


{task}
@app.route("/ping")
def ping():
    host = request.args.get("host", "")
