import os
import aiofiles
from fastapi import APIRouter, UploadFile

router = APIRouter()


@router.post("/files")
async def create(upload: UploadFile):
    where = os.path.join("static", os.path.basename(upload.filename))
    async with aiofiles.open(where, "wb") as out:
        await out.write(await upload.read())
    return {"where": where}
