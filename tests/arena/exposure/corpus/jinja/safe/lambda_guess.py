from flask import Flask, request
from jinja2 import Environment, FileSystemLoader

app = Flask(__name__)
env = Environment(
    loader=FileSystemLoader("templates"),
    autoescape=lambda name: not name.endswith(".txt"),
)


@app.get("/x")
def x():
    return env.get_template("x.html").render(x=request.args.get("x"))
