from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()


class Expression(BaseModel):
    text: str


@app.post("/calc")
async def calc(expression: Expression):
    result = eval(expression.text)
    return {"result": result}
