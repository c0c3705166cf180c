import json


def save(name, password, path="users.json"):
    """Not hashed at all."""
    with open(path) as handle:
        users = json.load(handle)
    users[name] = password
    with open(path, "w") as handle:
        json.dump(users, handle)
