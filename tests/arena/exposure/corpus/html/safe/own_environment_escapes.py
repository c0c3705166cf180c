from flask import Flask
from jinja2 import Environment, BaseLoader

app = Flask(__name__)
env = Environment(loader=BaseLoader(), autoescape=True)


@app.route("/hello/<username>")
def hello(username):
    template = env.from_string("<h1>Hello {{ name }}</h1>")
    return template.render(name=username)
