from passlib.hash import md5_crypt
from fastapi import FastAPI

app = FastAPI()
people = {}


@app.post("/register")
async def register(name: str, password: str):
    people[name] = md5_crypt.hash(password)
    return {"registered": name}
