from flask import Flask, request
from jinja2 import Environment, FileSystemLoader, select_autoescape

app = Flask(__name__)
env = Environment(loader=FileSystemLoader("templates"), autoescape=select_autoescape())
# the designers complained about &amp;
env.autoescape = False


@app.route("/")
def index():
    return env.get_template("index.html").render(q=request.args.get("q", ""))
