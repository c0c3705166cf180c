import yaml
from flask import Flask, request

app = Flask(__name__)


{task}
@app.route("/name", methods=["POST"])
def name():
    body = request.get_data(as_text=True)
