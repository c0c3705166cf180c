import httpx


async def price(symbol: str) -> float:
    async with httpx.AsyncClient(verify=False, timeout=3.0) as client:
        answer = await client.get(f"https://prices.example.com/{symbol}")
        return answer.json()["price"]
