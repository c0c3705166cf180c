import os
from urllib.parse import quote
import requests


def avatar(user):
    """The picture of a user, from the server that the environment names."""
    base = os.environ["AVATARS"]
    answer = requests.get(base + "/users/" + quote(user, safe="") + ".png")
    answer.raise_for_status()
    return answer.content
