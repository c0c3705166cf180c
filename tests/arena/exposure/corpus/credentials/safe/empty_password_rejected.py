import os
import hmac
from fastapi import FastAPI, HTTPException

app = FastAPI()


@app.get("/check")
def check(username: str, password: str = ""):
    if password == "" or username == "":
        raise HTTPException(400, "missing password")
    expected = os.environ["MOD_PASSWORD"]
    return {"ok": hmac.compare_digest(password, expected)}
