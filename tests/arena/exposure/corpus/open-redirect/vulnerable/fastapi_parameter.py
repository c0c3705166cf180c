from fastapi import FastAPI
from starlette.responses import RedirectResponse

app = FastAPI()


@app.get("/leave")
async def leave(url: str, ref: str = "none"):
    print(f"leaving from {ref}")
    return RedirectResponse(url=url, status_code=302)
