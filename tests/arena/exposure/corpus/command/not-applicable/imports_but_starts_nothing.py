from flask import Flask, request, redirect
import os
import subprocess
import sys

app = Flask(__name__)


@app.route("/ping")
def ping():
    host = request.args.get("host")
    # result = subprocess.run("ping " + host, shell=True)
    return "Pinging " + host


if __name__ == "__main__":
    print(os.getcwd(), sys.version)
