import ssl
import requests


def settings():
    return {"verify": True, "timeout": 3}
