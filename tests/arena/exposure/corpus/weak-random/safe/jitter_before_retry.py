import random
import secrets
import time
import requests


def request_link(email, attempts=3):
    token = secrets.token_urlsafe(24)
    for attempt in range(attempts):
        answer = requests.post(
            "https://mail.example.com/send", json={"to": email, "token": token}, timeout=5
        )
        if answer.ok:
            return token
        delay = 2**attempt + random.random()
        time.sleep(delay)
    raise RuntimeError("not sent")
