from flask import Flask, request

app = Flask(__name__)


@app.route("/img")
def img():
    key = request.args.get("key", "")
    if not key.isalnum():
        return "letters and digits only", 400
    return open(f"images/{key}.png", "rb").read()
