from flask import Flask, request
import requests

app = Flask(__name__)

# TODO: write page()


@app.route("/hello/<username>")
def hello(username):
    return page(username)
