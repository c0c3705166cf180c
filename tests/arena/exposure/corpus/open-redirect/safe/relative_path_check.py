from flask import Flask, request, redirect

app = Flask(__name__)


@app.route("/back")
def back():
    to = request.args.get("to", "/")
    if to.startswith("/") and not to.startswith("//") and "\\" not in to:
        return redirect(to)
    return redirect("/")
