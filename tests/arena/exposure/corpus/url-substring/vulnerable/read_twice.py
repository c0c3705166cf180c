from flask import Flask, request, redirect

app = Flask(__name__)


@app.route("/twice")
def twice():
    if "url" in request.args and request.args["url"].endswith(".example.com"):
        return redirect(request.args.get("url"))
    return redirect("/")
