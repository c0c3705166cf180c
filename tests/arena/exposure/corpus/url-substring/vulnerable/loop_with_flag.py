from flask import Flask, request, redirect

app = Flask(__name__)
DOMAINS = ("example.com", "example.net")


def known(url):
    for domain in DOMAINS:
        if url.endswith(domain):
            return True
    return False


@app.route("/k")
def k():
    url = request.args.get("url", "")
    if not known(url):
        return "unknown", 404
    return redirect(url)
