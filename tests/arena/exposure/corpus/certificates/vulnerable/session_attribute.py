import requests


class Client:
    def __init__(self, base):
        self.base = base
        self.session = requests.Session()
        self.session.verify = False

    def get(self, path):
        return self.session.get(self.base + path).json()
