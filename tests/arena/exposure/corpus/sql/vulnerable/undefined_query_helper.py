from flask import Flask, request, render_template

app = Flask(__name__)


@app.route("/user/<name>")
def user(name):
    rows = query_db("SELECT * FROM users WHERE name = '" + name + "'")
    if not rows:
        return render_template("none.html"), 404
    return render_template("user.html", user=rows[0])
