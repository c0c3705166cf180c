import re
from fastapi import FastAPI, HTTPException
from starlette.responses import RedirectResponse

app = FastAPI()
DOMAIN = "example.com"
CHECK = re.compile(rf"https://(?:[a-z0-9-]+\.)*{re.escape(DOMAIN)}(?:/.*)?")


@app.get("/go")
def go(url: str):
    if not CHECK.fullmatch(url):
        raise HTTPException(400)
    return RedirectResponse(url=url)
