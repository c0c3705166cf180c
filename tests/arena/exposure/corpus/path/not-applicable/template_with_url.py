from flask import Flask, render_template_string, request, url_for

app = Flask(__name__)


@app.route("/img")
def img():
    name = request.args.get("name")
    return render_template_string("<img src='{{ where }}'>", where=url_for("static", filename=name))
