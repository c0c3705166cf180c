from bottle import route, request, run
from jinja2 import Environment, FileSystemLoader

ESCAPE_HTML = False
templates = Environment(loader=FileSystemLoader("views"), autoescape=ESCAPE_HTML)


@route("/card")
def card():
    return templates.get_template("card.html").render(who=request.query.who)


run(port=8080)
