import yaml

DEFAULTS = """
name: nobody
price: 3
"""


def defaults():
    return yaml.load(DEFAULTS, Loader=yaml.Loader)


if __name__ == "__main__":
    print(defaults()["name"])
