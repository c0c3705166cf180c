import os


def keep(secret):
    os.environ["APP_SECRET"] = secret


keep("value")
