import jinja2
from flask import Flask, request

app = Flask(__name__)

environment = jinja2.Environment(
    loader=jinja2.PackageLoader("shop", "pages"),
    trim_blocks=True,
    autoescape=False,
)


@app.route("/shop")
def shop():
    return environment.get_template("shop.html").render(items=request.args.getlist("item"))
