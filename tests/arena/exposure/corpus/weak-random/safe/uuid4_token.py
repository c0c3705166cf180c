import uuid
from fastapi import FastAPI

app = FastAPI()
pending = {}


@app.post("/forgot")
def forgot(email: str):
    token = str(uuid.uuid4())
    pending[token] = email
    return {"link": "/reset?token=" + token}
