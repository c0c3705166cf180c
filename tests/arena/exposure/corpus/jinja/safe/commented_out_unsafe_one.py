from flask import Flask, request, make_response, escape
from jinja2 import Environment, select_autoescape, FileSystemLoader

app = Flask(__name__)
loader = FileSystemLoader(searchpath="templates/")

# env = Environment(loader=loader)
# Environment(loader=loader, autoescape=False) would be wrong.
env = Environment(
    loader=loader,
    autoescape=select_autoescape(enabled_extensions=("html", "xml"), default_for_string=True),
)



def render_page(env):
    name = request.args.get("name", "")
    template = env.get_template("template.html")
    return make_response(template.render(name=name))


@app.route("/")
def home():
    return render_page(env)
