from urllib.parse import urlparse as parse
from flask import Flask, redirect as go, request as req

app = Flask(__name__)


@app.get("/w")
def w():
    if (u := req.args.get("u", "")) and parse(u).netloc == "example.com":
        return go(u)
    return go("/")
