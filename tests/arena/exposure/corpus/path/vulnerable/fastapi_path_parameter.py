from pathlib import Path

from fastapi import FastAPI, HTTPException
from fastapi.responses import FileResponse

app = FastAPI()
IMAGE_DIR = Path("images")


@app.get("/images/{name:path}")
async def get_image(name: str):
    file_path = IMAGE_DIR / name
    if not file_path.exists():
        raise HTTPException(status_code=404, detail="Image not found")
    return FileResponse(file_path)
