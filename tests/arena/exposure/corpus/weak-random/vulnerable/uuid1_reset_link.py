import uuid
from fastapi import FastAPI

app = FastAPI()
pending = {}


@app.post("/forgot")
def forgot(email: str):
    token = uuid.uuid1().hex
    pending[token] = email
    return {"link": "/reset?token=" + token}
