from mako.lookup import TemplateLookup
from bottle import route, request, run


class Environment:
    """Our own; it has nothing to do with jinja2."""

    def __init__(self, folder):
        self.lookup = TemplateLookup(directories=[folder], default_filters=["h"])

    def get_template(self, name):
        return self.lookup.get_template(name)


env = Environment("pages")


@route("/")
def index():
    return env.get_template("index.mako").render(q=request.query.q)


run()
