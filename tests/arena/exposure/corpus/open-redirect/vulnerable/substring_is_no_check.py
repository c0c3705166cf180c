from flask import Flask, request, redirect, abort

app = Flask(__name__)


@app.route("/out")
def out():
    url = request.args["url"]
    if "mysite.org" not in url:
        abort(400)
    return redirect(url)
