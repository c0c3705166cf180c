import os
from fastapi import FastAPI
from pydantic import BaseModel, IPvAnyAddress, conint


class PingRequest(BaseModel):
    host: IPvAnyAddress
    count: conint(ge=1, le=10) = 4


app = FastAPI()


@app.post("/ping")
def ping(body: PingRequest):
    return {"out": os.popen(f"ping -c {body.count} {body.host}").read()}
