from flask import Flask, request, send_file

app = Flask(__name__)


@app.route("/img")
def img():
    name = request.args.get("name", "").replace("/", "_").replace("\\", "_")
    return send_file("images/" + name)
