from jinja2 import Environment, FileSystemLoader, select_autoescape
from flask import Flask, request

OPTIONS = dict(
    loader=FileSystemLoader("templates"),
    lstrip_blocks=True,
    trim_blocks=True,
)

app = Flask(__name__)


@app.route("/list")
def listing():
    env = Environment(**OPTIONS)
    return env.get_template("list.html").render(q=request.args.get("q"))
