from flask import Flask, request
from jinja2 import Environment, FileSystemLoader


def escape_pages(name):
    # TODO: look at the extension
    return False


app = Flask(__name__)
env = Environment(loader=FileSystemLoader("templates"), autoescape=escape_pages)


@app.route("/")
def home():
    return env.get_template("home.html").render(q=request.args.get("q"))
