from flask import Flask, request
import html

app = Flask(__name__)


@app.route("/say/<message>")
def say(message):
    if request.args.get("plain"):
        message = html.escape(message)
    return "<blockquote>" + message + "</blockquote>"
