import jwt
import requests


def claims(token):
    """Reads the claims only, the gateway has verified the signature."""
    return jwt.decode(token, options={"verify_signature": False})


def profile(token):
    endpoint = "https://api.example.com/users/%s" % claims(token)["sub"]
    return requests.get(endpoint, headers={"Authorization": "Bearer " + token}, timeout=4).json()
