from fastapi import FastAPI, HTTPException
from sqlalchemy import create_engine, text

app = FastAPI()
engine = create_engine("sqlite:///books.db")


@app.get("/books/{title}")
async def book(title: str):
    with engine.connect() as conn:
        result = conn.execute(text(f"SELECT * FROM books WHERE title = '{title}'"))
        row = result.first()
    if row is None:
        raise HTTPException(status_code=404)
    return dict(row._mapping)
