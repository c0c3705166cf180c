from flask import Flask, request, send_file

app = Flask(__name__)
SHORT = {"logo": "logo.png"}


@app.route("/img")
def img():
    name = request.args.get("name")
    return send_file("images/" + SHORT.get(name, name))
