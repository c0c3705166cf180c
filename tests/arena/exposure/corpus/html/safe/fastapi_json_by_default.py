from fastapi import FastAPI

app = FastAPI()


@app.get("/hello/{username}")
async def hello(username: str):
    return "Hello " + username


@app.get("/items/{name}")
def items(name: str, limit: int = 10):
    return {"name": name, "limit": limit}
