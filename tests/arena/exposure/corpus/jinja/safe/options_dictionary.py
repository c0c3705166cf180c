from jinja2 import Environment, FileSystemLoader, select_autoescape
from flask import Flask, request

OPTIONS = {
    "loader": FileSystemLoader("templates"),
    "trim_blocks": True,
    "autoescape": select_autoescape(["html", "htm"]),
}

app = Flask(__name__)


@app.route("/list")
def listing():
    env = Environment(**OPTIONS)
    return env.get_template("list.html").render(q=request.args.get("q"))
