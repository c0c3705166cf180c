from bottle import route, request, run
from jinja2 import Environment, FileSystemLoader


def is_markup(name):
    return name is None or name.rsplit(".", 1)[-1] in ("html", "htm", "xml")


templates = Environment(loader=FileSystemLoader("views"), autoescape=is_markup)


@route("/card")
def card():
    return templates.get_template("card.html").render(who=request.query.who)


run(port=8080)
