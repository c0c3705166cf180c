from fastapi import FastAPI
import httpx

app = FastAPI()


@app.get("/shop/{shop}")
async def shop(shop: str):
    # "evil.example/#" makes another host of it
    async with httpx.AsyncClient() as client:
        answer = await client.get(f"https://{shop}.shops.example.org/info")
    return answer.json()
