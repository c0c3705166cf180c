from fastapi import FastAPI, HTTPException
from fastapi.responses import RedirectResponse

app = FastAPI()


@app.get("/out")
def out(url: str):
    if url.startswith("https://example.com/"):
        return RedirectResponse(url)
    raise HTTPException(status_code=400, detail="not ours")
