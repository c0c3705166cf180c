from flask import Flask, render_template, request
from jinja2 import Environment, PackageLoader

app = Flask(__name__)
ESCAPE = True


class Mailer:
    def __init__(self, sender):
        self.sender = sender
        self.env = Environment(loader=PackageLoader("mails"), autoescape=ESCAPE)

    def body(self, name):
        return self.env.get_template("welcome.html").render(name=name)


@app.route("/")
def index():
    mailer = Mailer("noreply@example.com")
    return render_template("index.html", preview=mailer.body(request.args.get("name")))
