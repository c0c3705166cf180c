from werkzeug.security import generate_password_hash, check_password_hash


class User:
    def __init__(self, name):
        self.name = name
        self.hash = None

    def set_password(self, password):
        self.hash = generate_password_hash(password, method="sha1")

    def check(self, password):
        return check_password_hash(self.hash, password)
