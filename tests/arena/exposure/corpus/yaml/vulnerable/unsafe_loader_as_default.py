import logging
import yaml
from flask import Flask, request

log = logging.getLogger(__name__)
app = Flask(__name__)


def parse(text, loader=yaml.UnsafeLoader):
    log.debug("parsing %d bytes", len(text))
    return yaml.load(text, Loader=loader)


@app.route("/name", methods=["POST"])
def name():
    return parse(request.get_data(as_text=True)).get("name", "")
