import jinja2 as j2
from flask import Flask, request

app = Flask(__name__)
auto = j2.select_autoescape(disabled_extensions=["html", "txt"])
env = j2.Environment(loader=j2.FileSystemLoader("."), autoescape=auto)


@app.route("/hello")
def hello():
    return env.get_template("hello.html").render(request.args)
