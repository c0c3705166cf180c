import asyncpg
from fastapi import FastAPI, Query

app = FastAPI()


@app.get("/towns")
async def towns(country: str = Query(...), limit: int = 10):
    conn = await asyncpg.connect("postgresql:///geo")
    try:
        rows = await conn.fetch(f"SELECT name FROM towns WHERE country = '{country}' LIMIT {limit}")
    finally:
        await conn.close()
    return [r["name"] for r in rows]
