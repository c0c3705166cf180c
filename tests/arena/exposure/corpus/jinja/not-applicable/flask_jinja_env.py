from flask import Flask, make_response, request

app = Flask(__name__)
app.jinja_env.trim_blocks = True


@app.route("/")
def home():
    template = app.jinja_env.get_template("template.html")
    return make_response(template.render(name=request.args.get("name", "")))
