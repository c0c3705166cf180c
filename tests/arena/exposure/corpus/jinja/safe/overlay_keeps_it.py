from flask import Flask, request
from jinja2 import Environment, FileSystemLoader

app = Flask(__name__)
base = Environment(loader=FileSystemLoader("templates"), autoescape=True)
fragments = base.overlay(trim_blocks=True)


@app.route("/fragment/<name>")
def fragment(name):
    return fragments.get_template(name + ".html").render(**request.args.to_dict())
