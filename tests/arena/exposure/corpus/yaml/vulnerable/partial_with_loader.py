import functools
import yaml
from fastapi import FastAPI, Request

app = FastAPI()
decode = functools.partial(yaml.load, Loader=yaml.Loader)


@app.post("/name")
async def name(request: Request):
    raw = await request.body()
    return decode(raw)["name"]
