import random
import secrets
import string


def issue(users, name):
    if random.random() < 0.01:
        users.clean()
    length = random.randint(16, 24)
    token = "".join(secrets.choice(string.ascii_letters) for _ in range(length))
    users.save(name, token)
    return {"token": token, "colour": random.choice(["red", "blue"])}
