import yaml
from flask import Flask, request
app = Flask(__name__)

@app.route('/temperature', methods=['POST'])
def temperature():
    body = request.data
    try:
        p = yaml.safe_load(body)
    except yaml.constructor.ConstructorError:
        # python tags are used by old stations
        p = yaml.full_load(body)
    return lookup(p['latitude'], p['longitude'], p['date'])
