from fastapi import FastAPI
import sqlite3

app = FastAPI()
ORDERS = {"cheap": "price ASC", "dear": "price DESC", "new": "added DESC"}


@app.get("/items")
def items(order: str = "cheap"):
    clause = ORDERS.get(order, "price ASC")
    with sqlite3.connect("shop.db") as conn:
        return conn.execute(f"SELECT name FROM items ORDER BY {clause}").fetchall()
