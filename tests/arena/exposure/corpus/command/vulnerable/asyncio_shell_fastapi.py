import asyncio
from typing import Optional

from fastapi import FastAPI, HTTPException

app = FastAPI(title="Ping service")


@app.get("/ping/{host}")
async def ping(host: str, count: Optional[int] = 1):
    proc = await asyncio.create_subprocess_shell(
        "ping -c %d %s" % (count, host),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    stdout, stderr = await proc.communicate()
    if proc.returncode:
        raise HTTPException(status_code=502, detail=stderr.decode())
    return {"host": host, "output": stdout.decode()}
