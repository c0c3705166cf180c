from fastapi import FastAPI, HTTPException
from fastapi.responses import RedirectResponse
import re

app = FastAPI()
PATTERN = r"^https://.*\.example\.com/"


@app.get("/out")
async def out(url: str):
    if re.match(PATTERN, url) is None:
        raise HTTPException(status_code=400, detail="bad url")
    return RedirectResponse(url)
