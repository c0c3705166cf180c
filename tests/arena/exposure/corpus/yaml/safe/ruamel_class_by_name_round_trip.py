from ruamel.yaml import YAML


def change(text, name):
    yaml = YAML(typ="rt")
    document = yaml.load(text)
    document["name"] = name
    return document
