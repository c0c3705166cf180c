from flask import Flask, request

app = Flask(__name__)

PAGE = """<!doctype html>
<title>{title}</title>
<body><h1>{greeting}</h1></body>
"""


def greeting_for(user):
    return "Good day, {}!".format(user)


def page(title, greeting):
    return PAGE.format(title=title, greeting=greeting)


@app.route("/greet", methods=["POST"])
def greet():
    return page("Greeting", greeting_for(request.form["user"]))
