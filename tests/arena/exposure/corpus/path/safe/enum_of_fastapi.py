from enum import Enum
from fastapi import FastAPI
from fastapi.responses import FileResponse


class Picture(str, Enum):
    cat = "cat"
    dog = "dog"


app = FastAPI()


@app.get("/img")
def img(name: Picture):
    return FileResponse(f"images/{name.value}.png")
