from flask import Flask, request
from jinja2 import Environment, FileSystemLoader

app = Flask(__name__)
env = Environment(loader=FileSystemLoader("templates"))
env.autoescape = True
env.globals["site"] = "example.com"


@app.route("/")
def index():
    return env.get_template("index.html").render(q=request.args.get("q", ""))
