from flask import Flask, request
from jinja2 import Environment, FileSystemLoader, select_autoescape

app = Flask(__name__)
env = Environment(
    loader=FileSystemLoader("templates"),
    autoescape=select_autoescape(enabled_extensions=("xml",), default_for_string=False),
)


@app.route("/")
def index():
    template = env.get_template("index.html")
    return template.render(user=request.args.get("user", "guest"))
