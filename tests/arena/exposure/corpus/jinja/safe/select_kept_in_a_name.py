from flask import Flask, request
from jinja2 import Environment, FileSystemLoader, select_autoescape
import logging

log = logging.getLogger(__name__)


def create_app(test_config=None):
    app = Flask(__name__)
    escape = select_autoescape(default=True, default_for_string=True)
    app.pages = Environment(loader=FileSystemLoader("templates"), autoescape=escape)

    @app.route("/welcome")
    def welcome():
        log.debug("welcome")
        # never Environment(loader=...) without autoescape here
        return app.pages.get_template("welcome.html").render(name=request.args.get("name"))

    return app
