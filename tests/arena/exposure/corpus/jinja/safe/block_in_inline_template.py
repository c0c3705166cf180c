from flask import Flask, request
from jinja2 import Environment

app = Flask(__name__)
PAGE = """{% autoescape true %}
<p>{{ who }} said {{ what }}</p>
{% endautoescape %}"""

env = Environment()


@app.route("/said")
def said():
    template = env.from_string(PAGE)
    return template.render(who=request.args["who"], what=request.args["what"])
