import io
import torch
from fastapi import FastAPI, UploadFile

app = FastAPI()


@app.post("/model")
async def model(file: UploadFile):
    content = await file.read()
    state = torch.load(io.BytesIO(content))
    return {"layers": len(state)}
