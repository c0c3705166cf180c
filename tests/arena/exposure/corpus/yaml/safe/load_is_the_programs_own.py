import json
import yaml


def load(text):
    """A document as plain data: JSON where it is JSON, YAML otherwise."""
    try:
        return json.loads(text)
    except ValueError:
        return yaml.safe_load(text)


class Reader:
    def load(self, stream):
        return load(stream.read())


def settings(path):
    with open(path) as stream:
        return Reader().load(stream)
