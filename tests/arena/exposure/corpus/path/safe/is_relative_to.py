from pathlib import Path

from fastapi import FastAPI, HTTPException
from fastapi.responses import FileResponse

app = FastAPI()
ROOT = Path("images").resolve()


@app.get("/img")
def img(name: str):
    path = (ROOT / name).resolve()
    if not path.is_relative_to(ROOT) or not path.is_file():
        raise HTTPException(404)
    return FileResponse(path)
