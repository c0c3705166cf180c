"""Greeting cards of a florist."""

import html
import json
import os
import re

from flask import Flask, jsonify, request

COLOUR = re.compile(r"[a-z]{1,20}")
SITE = re.compile(r"https?://[!-~]{1,200}")

app = Flask(__name__)


def page(name, sender, colour, site):
    data = json.dumps({"name": name, "from": sender}).replace("<", "\\u003c")
    link = f'<a href="{html.escape(site)}">Visit us</a>' if site else ""
    return f"""<!doctype html>
<html><head><meta charset="utf-8"><title>A card</title></head><body>
<h1 style="color: {colour}">Hello, {html.escape(name)}!</h1>
<p title="From {html.escape(sender)}">A card for you.</p>{link}
<script type="application/json" id="card">{data}</script>
</body></html>"""


@app.get("/card")
def card():
    name, sender = request.args.get("name", ""), request.args.get("from", "a friend")
    colour, site = request.args.get("colour", "black"), request.args.get("site", "")
    if not 1 <= len(name) <= 80:
        return jsonify(error="name"), 400
    if len(sender) > 80:
        return jsonify(error="from"), 400
    if not COLOUR.fullmatch(colour):
        return jsonify(error="colour"), 400
    if site and not SITE.fullmatch(site):
        return jsonify(error="site"), 400
    return page(name, sender, colour, site)


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]))
