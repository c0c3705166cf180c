from flask import Flask, make_response, request
from jinja2 import Environment, FileSystemLoader

app = Flask(__name__)
env = Environment(loader=FileSystemLoader("templates/"), autoescape=True)


@app.route("/")
def home():
    template = env.get_template("page.html")
    return make_response(template.render(name=request.args.get("name", "")))
