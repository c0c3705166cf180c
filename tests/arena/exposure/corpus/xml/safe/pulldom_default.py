from xml.dom import pulldom
from flask import Flask, request

app = Flask(__name__)


@app.route("/pull")
def pull():
    events = pulldom.parseString(request.args["xml"])
    found = 0
    for event, node in events:
        if event == pulldom.START_ELEMENT:
            found += 1
    return str(found)
