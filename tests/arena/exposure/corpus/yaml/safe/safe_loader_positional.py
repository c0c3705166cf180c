from yaml import load, SafeLoader
from fastapi import FastAPI, Request

app = FastAPI()


@app.post("/weather")
async def weather(request: Request):
    body = await request.body()
    place = load(body.decode("utf-8"), SafeLoader)
    return {"lat": place["lat"], "lon": place["lon"]}
