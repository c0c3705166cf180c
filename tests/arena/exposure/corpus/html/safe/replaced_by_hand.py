from flask import Flask, request

app = Flask(__name__)


def quoted(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


@app.route("/say")
def say():
    return "<p>" + quoted(request.args.get("text", "")) + "</p>"
