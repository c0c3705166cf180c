from urllib.parse import urlsplit
from fastapi import FastAPI, HTTPException
from fastapi.responses import RedirectResponse

app = FastAPI()
ALLOWED_HOSTS = ["example.org", "www.example.org"]


@app.get("/leave")
def leave(url: str):
    if urlsplit(url).hostname not in ALLOWED_HOSTS:
        raise HTTPException(status_code=400)
    return RedirectResponse(url)
