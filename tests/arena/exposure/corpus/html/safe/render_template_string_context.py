from flask import Flask, render_template_string, request

app = Flask(__name__)
PAGE = "<p>Hello {{ name }}, you are {{ age|int }}</p>"


@app.route("/hello")
def hello():
    return render_template_string(PAGE, name=request.args.get("name"), age=request.args.get("age"))
