from flask import Flask, request, send_file

app = Flask(__name__)
KNOWN = ["cat.png", "dog.png"]


@app.route("/img")
def img():
    name = request.args.get("name")
    if name not in KNOWN:
        name = "cat.png"
    return send_file("images/" + name)
