from flask import Flask, request
import yaml

app = Flask(__name__)


@app.route("/api/name")
def name():
    # get the name out of the YAML payload
    payload = request.args.get("payload", None)
    raise NotImplementedError
