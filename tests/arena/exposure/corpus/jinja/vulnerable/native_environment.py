from flask import Flask, request
from jinja2.nativetypes import NativeEnvironment
import jinja2

app = Flask(__name__)


@app.route("/total")
def total():
    env = NativeEnvironment()
    template = env.from_string("<b>{{ a }} {{ b }}</b>")
    return template.render(a=request.args["a"], b=request.args["b"])
