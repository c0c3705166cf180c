import httpx
from fastapi import FastAPI

app = FastAPI()


@app.get("/price/{symbol}")
async def price(symbol: str) -> dict:
    async with httpx.AsyncClient(timeout=3.0) as client:
        answer = await client.get("https://prices.example.com/", params={"symbol": symbol})
        return answer.json()
