from flask import Flask, request
from jinja2 import Environment, FileSystemLoader

app = Flask(__name__)
loader = FileSystemLoader("templates")
pages = Environment(loader=loader, autoescape=True)
mails = Environment(loader=loader)


@app.route("/page")
def page():
    return pages.get_template("page.html").render(name=request.args["name"])


@app.route("/mail-preview")
def mail_preview():
    return mails.get_template("mail.html").render(name=request.args["name"])
