from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def home():
    return "<p>Home</p>"


@app.errorhandler(404)
def missing(error):
    return "<h1>%s is not here</h1>" % request.path, 404
