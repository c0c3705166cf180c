import requests

API_TOKEN = "tok_9f2c77a1e0"


def list_items(session=None):
    session = session or requests.Session()
    headers = {"Authorization": "Bearer " + API_TOKEN, "Accept": "application/json"}
    return session.get("https://api.example.com/items", headers=headers).json()
