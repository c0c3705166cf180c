try:
    import yaml as _yaml
except ImportError:
    _yaml = None
from flask import Flask, request

app = Flask(__name__)


def parse_payload(raw):
    if _yaml is None:
        raise RuntimeError("no yaml")
    return _yaml.load(raw, Loader=_yaml.CLoader)


@app.route("/api/name", methods=["GET", "POST"])
def name():
    return parse_payload(request.values.get("payload"))["name"]
