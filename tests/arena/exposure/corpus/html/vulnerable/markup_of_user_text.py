from flask import Flask, Markup, render_template

app = Flask(__name__)


@app.route("/hello/<username>")
def hello(username):
    greeting = Markup("<b>" + username + "</b>")
    return render_template("hello.html", greeting=greeting)
