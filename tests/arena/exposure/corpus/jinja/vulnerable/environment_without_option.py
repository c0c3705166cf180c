from flask import Flask, make_response, request
from jinja2 import Environment, FileSystemLoader

app = Flask(__name__)
loader = FileSystemLoader(searchpath="templates/")
env = Environment(loader=loader)


@app.route("/")
def home():
    template = env.get_template("page.html")
    return make_response(template.render(name=request.args.get("name", "")))
