from flask import Flask, request, make_response, escape
from jinja2 import Environment, select_autoescape, FileSystemLoader

app = Flask(__name__)


def make_env(path, escape_html=None):
    loader = FileSystemLoader(path)
    return Environment(loader=loader, autoescape=bool(escape_html))


def respond(env):
    name = request.args.get("name", "")
    return make_response(env.get_template("template.html").render(name=name))


@app.route("/")
def home():
    return respond(make_env("templates/", False))
