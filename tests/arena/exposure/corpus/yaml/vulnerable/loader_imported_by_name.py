from yaml import load, Loader
from fastapi import FastAPI, Request

app = FastAPI()


@app.post("/weather")
async def weather(request: Request):
    body = await request.body()
    place = load(body.decode("utf-8"), Loader)
    return {"lat": place["lat"], "lon": place["lon"]}
