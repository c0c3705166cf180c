from flask import Flask, redirect, request
import re

app = Flask(__name__)

HOST_PATTERN = re.compile(r"^https://(www|shop).example.com/")


@app.route("/leave")
def leave():
    where = request.args.get("to", "")
    if HOST_PATTERN.match(where):
        return redirect(where)
    return redirect("/")
