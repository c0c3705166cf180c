import requests


def session():
    s = requests.Session()
    s.post("https://example.com/login", data={"username": "robot", "password": "beep-boop"})
    return s
