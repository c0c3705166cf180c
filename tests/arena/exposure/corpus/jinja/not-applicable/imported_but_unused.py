from flask import Flask, request, make_response, escape
from jinja2 import Environment, select_autoescape, FileSystemLoader

app = Flask(__name__)
loader = FileSystemLoader(searchpath="templates/")

# env = Environment(loader=loader)


def render_response_from_env(env):
    name = request.args.get("name", "")
    template = env.get_template("template.html")
    return make_response(template.render(name=name))
