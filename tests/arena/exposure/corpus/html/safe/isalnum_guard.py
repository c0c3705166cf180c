from flask import Flask, abort

app = Flask(__name__)


@app.route("/hello/<username>")
def hello(username):
    if not username.isalnum():
        abort(404)
    return "<h1>Hello %s</h1>" % username
