from flask import Flask, request, redirect

app = Flask(__name__)


def local(path):
    return path.startswith("/")


@app.route("/done")
def done():
    path = request.args.get("path", "/")
    if not local(path):
        path = "/"
    return redirect(path)
