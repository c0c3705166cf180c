import hashlib

EXPECTED = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0"


def intact(path):
    with open(path, "rb") as handle:
        return hashlib.sha256(handle.read()).hexdigest() == EXPECTED


def login(user, password):
    return user.check_password(password)
