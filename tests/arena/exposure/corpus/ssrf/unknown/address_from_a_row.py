import requests


def fetch(cursor):
    address = cursor.execute("SELECT address FROM hook").fetchone()[0]
    return requests.get(address).text
