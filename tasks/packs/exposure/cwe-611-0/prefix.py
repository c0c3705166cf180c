from flask import Flask, request
from lxml import etree

app = Flask(__name__)


{task}
@app.route("/invoice", methods=["POST"])
def invoice():
    body = request.get_data()
