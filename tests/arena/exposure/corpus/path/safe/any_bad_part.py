from flask import Flask, request, abort

app = Flask(__name__)
BAD = ("..", "/", "\\", "\0")


@app.route("/img")
def img():
    name = request.args.get("name", "")
    if any(part in name for part in BAD):
        abort(400)
    with open("images/" + name, "rb") as f:
        return f.read()
