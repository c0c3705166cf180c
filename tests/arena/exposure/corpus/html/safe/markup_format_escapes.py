from flask import Flask, request
from markupsafe import Markup

app = Flask(__name__)


@app.route("/hello")
def hello():
    name = request.args.get("name", "")
    return Markup("<b>Hello {}</b>").format(name)
