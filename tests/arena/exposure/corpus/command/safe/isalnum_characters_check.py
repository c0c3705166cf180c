import os
import string
from flask import Flask, request

app = Flask(__name__)
ALLOWED = set(string.ascii_letters + string.digits + ".-")


@app.route("/ping")
def ping():
    name = request.args.get("name", "")
    if not name.isalnum():
        return "letters and digits only", 400
    return {"code": os.system("ping -c 1 %s.example.com" % name)}
