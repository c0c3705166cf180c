from string import Template
from flask import Flask, request

app = Flask(__name__)
PAGE = Template("<html><body>Dear $name, you have $count messages</body></html>")


@app.route("/inbox")
def inbox():
    name = request.args.get("name", "user")
    return PAGE.substitute(name=name, count=len(name))
