from pathlib import Path
import shutil

from fastapi import FastAPI, HTTPException, UploadFile

app = FastAPI()
SUFFIXES = frozenset({".csv", ".tsv"})


@app.post("/tables")
async def tables(file: UploadFile):
    name = Path(file.filename).name
    if Path(name).suffix not in SUFFIXES:
        raise HTTPException(415, "tables only")
    with (Path("tables") / name).open("wb") as out:
        shutil.copyfileobj(file.file, out)
    return {"stored": name}
