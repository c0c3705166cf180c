import yaml


def parse(text, loader=yaml.SafeLoader):
    return yaml.load(text, Loader=loader)


def temperatures(payload):
    data = parse(payload)
    return [(one["lat"], one["lon"]) for one in data["places"]]


if __name__ == "__main__":
    print(temperatures("places: [{lat: 1, lon: 2}]"))
