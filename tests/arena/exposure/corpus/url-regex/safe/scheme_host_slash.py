import re
from flask import Flask, redirect, request

app = Flask(__name__)
OURS = re.compile(r"^https?://([a-z0-9-]+\.)*example\.com/")


@app.route("/leave")
def leave():
    where = request.args.get("to", "")
    if OURS.match(where):
        return redirect(where)
    return redirect("/")
