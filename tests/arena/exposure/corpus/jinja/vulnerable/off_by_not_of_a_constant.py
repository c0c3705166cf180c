from flask import Flask, request
from jinja2 import Environment, FileSystemLoader
app = Flask(__name__)
DEBUG = True
environment = Environment(loader=FileSystemLoader("templates"), autoescape=not DEBUG)
@app.route("/welcome")
def welcome():
    return environment.get_template("welcome.html").render(name=request.args.get("name"))
