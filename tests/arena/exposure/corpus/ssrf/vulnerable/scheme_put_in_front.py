from flask import Flask, request
import requests

app = Flask(__name__)


@app.route("/up")
def up():
    site = request.args.get("site", "").strip()
    if not site.startswith(("http://", "https://")):
        site = "http://" + site
    try:
        code = requests.head(site, timeout=2).status_code
    except requests.exceptions.RequestException:
        code = 0
    return {"site": site, "up": code == 200}
