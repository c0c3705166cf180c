from fastapi import FastAPI
from fastapi.responses import FileResponse

app = FastAPI()


@app.get("/img")
def img(name: str = "picture.png"):
    return FileResponse(path="images/one.png", filename=name)
