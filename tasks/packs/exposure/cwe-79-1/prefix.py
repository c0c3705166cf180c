from flask import Flask, request
from jinja2 import Environment, FileSystemLoader, select_autoescape

app = Flask(__name__)
loader = FileSystemLoader("templates")


@app.route("/welcome")
def welcome():
    template = environment.get_template("welcome.html")
    return template.render(name=request.args.get("name", ""))


{task}
environment =
