from flask import Flask
from markupsafe import escape  # imported, never used

app = Flask(__name__)


@app.route("/hello/<username>")
def say(username):
    msg = "Hello "
    msg += username
    msg += "!"
    return msg
