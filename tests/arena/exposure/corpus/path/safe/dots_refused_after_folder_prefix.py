from flask import Flask, request, abort

app = Flask(__name__)


@app.route("/img")
def img():
    name = request.args.get("name", "")
    if ".." in name:
        abort(400)
    with open("images/" + name, "rb") as f:
        return f.read()
