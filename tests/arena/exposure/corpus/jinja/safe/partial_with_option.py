from functools import partial
from flask import Flask, request
from jinja2 import Environment, FileSystemLoader

SafeEnvironment = partial(Environment, autoescape=True)
environment = SafeEnvironment(loader=FileSystemLoader("templates"))
app = Flask(__name__)


@app.route("/welcome")
def welcome():
    return environment.get_template("welcome.html").render(name=request.args.get("name"))
