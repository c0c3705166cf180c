import xmltodict
from flask import Flask, request, jsonify

app = Flask(__name__)


@app.post("/as-json")
def as_json():
    try:
        return jsonify(xmltodict.parse(request.data))
    except Exception as error:
        return str(error), 400
