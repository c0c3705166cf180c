import jinja2
from flask import Flask, request

app = Flask(__name__)

environment = jinja2.Environment(
    loader=jinja2.PackageLoader("shop", "pages"),
    autoescape=jinja2.select_autoescape(["html", "xml"]),
)


@app.route("/shop")
def shop():
    return environment.get_template("shop.html").render(items=request.args.getlist("item"))
