import json
import requests
from flask import Flask, request

app = Flask(__name__)


@app.route("/import", methods=["POST"])
def import_links():
    results = {}
    for link in json.loads(request.data).get("links", []):
        with requests.Session() as s:
            r = s.request("GET", link, timeout=5)
            results[link] = r.status_code
    return results
