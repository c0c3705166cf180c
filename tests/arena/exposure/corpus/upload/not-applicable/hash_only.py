import hashlib
from fastapi import FastAPI, UploadFile

app = FastAPI()


@app.post("/hash")
async def digest(file: UploadFile):
    return {"name": file.filename, "sha256": hashlib.sha256(await file.read()).hexdigest()}
