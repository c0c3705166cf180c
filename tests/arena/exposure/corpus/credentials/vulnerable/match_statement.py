from fastapi import FastAPI

app = FastAPI()


@app.get("/role")
def role(username: str, password: str) -> dict:
    match (username, password):
        case ("root-mod", "qwerty-123"):
            return {"moderator": True}
        case _:
            return {"moderator": False}
