from fastapi import FastAPI
from fastapi.responses import HTMLResponse

app = FastAPI()


@app.get("/hello/{username}")
async def hello(username: str):
    page = f"""
    <html>
      <body><h1>Hello {username}</h1></body>
    </html>
    """
    return HTMLResponse(content=page, status_code=200)
