from flask import Flask, request

app = Flask(__name__)


{task}
@app.route("/calculate")
def calculate():
    expression = request.args.get("expression", "")
