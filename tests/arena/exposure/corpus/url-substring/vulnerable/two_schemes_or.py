from flask import Flask, request, redirect

app = Flask(__name__)


@app.route("/redirect/<url>")
def follow(url):
    if url.startswith("http://example.com") or url.startswith("https://example.com"):
        return redirect(url)
    else:
        return redirect("/")
