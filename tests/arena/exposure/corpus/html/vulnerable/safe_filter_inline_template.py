from flask import Flask, render_template_string, request

app = Flask(__name__)
TEMPLATE = """
<body>
  <h2>Hello {{ name|safe }}</h2>
</body>
"""


@app.route("/hello")
def hello():
    return render_template_string(TEMPLATE, name=request.args.get("name"))
