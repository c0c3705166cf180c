from flask import Flask, request
from jinja2 import Environment, FileSystemLoader

app = Flask(__name__)
base = Environment(loader=FileSystemLoader("templates"), autoescape=True)
fragments = base.overlay(autoescape=False)


@app.route("/fragment/<name>")
def fragment(name):
    template = fragments.get_template(name + ".html")
    return template.render(**request.args.to_dict())
