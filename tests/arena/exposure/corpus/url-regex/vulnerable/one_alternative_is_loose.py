import re
from flask import Flask, request, redirect

app = Flask(__name__)

# first or second brand
PAT = re.compile(r"^https://example\.com/|^https://example\.org", re.I)


@app.get("/brand")
def brand():
    target = request.args.get("target", "")
    return redirect(target) if PAT.match(target) else redirect("/home")
