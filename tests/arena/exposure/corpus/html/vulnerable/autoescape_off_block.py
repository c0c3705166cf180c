import flask

app = flask.Flask(__name__)


@app.route("/banner")
def banner():
    text = flask.request.args.get("text")
    return flask.render_template_string(
        "{% autoescape false %}<marquee>{{ text }}</marquee>{% endautoescape %}", text=text
    )
