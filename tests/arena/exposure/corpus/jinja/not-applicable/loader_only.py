from flask import Flask, request
from jinja2 import FileSystemLoader

app = Flask(__name__)
app.jinja_loader = FileSystemLoader("templates")


@app.route("/welcome")
def welcome():
    pass
