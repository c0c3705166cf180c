from flask import Flask
from markupsafe import escape

app = Flask(__name__)


@app.route("/greet/<name>")
def greet(name):
    return "<h1>Welcome, %s</h1>" % escape(name)


if __name__ == "__main__":
    app.run()
