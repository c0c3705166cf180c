from fastapi import FastAPI
import httpx

app = FastAPI()
BASE = "https://shops.example.org"


@app.get("/shop/{shop}")
async def shop(shop: str):
    async with httpx.AsyncClient() as client:
        answer = await client.get(f"{BASE}/shops/{shop}/info")
    return answer.json()
