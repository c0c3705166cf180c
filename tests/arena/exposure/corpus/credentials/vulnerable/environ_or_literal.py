import os

import pymongo

password = os.environ.get("MONGO_PASSWORD") or "mongo-dev"


def client():
    return pymongo.MongoClient("localhost", 27017, username="app", password=password)
