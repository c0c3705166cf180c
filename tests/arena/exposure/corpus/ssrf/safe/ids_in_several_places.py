import os
import httpx
from fastapi import FastAPI, HTTPException

app = FastAPI()
ROOT = os.environ.get("API_ROOT", "https://api.example.org")


class Api:
    def __init__(self, root):
        self.root = root.rstrip("/")
        self.client = httpx.Client(timeout=3)

    def one(self, kind, key):
        answer = self.client.get(self.root + "/%s/%s" % (kind, key))
        if answer.status_code != 200:
            raise HTTPException(answer.status_code)
        return answer.json()


api = Api(ROOT)


@app.get("/{kind}/{key}")
def show(kind: str, key: str):
    return api.one(kind, key)
