import json


def save(settings, path="settings.json"):
    with open(path, "w") as out:
        json.dump(settings, out)


save({"colour": "red"})
