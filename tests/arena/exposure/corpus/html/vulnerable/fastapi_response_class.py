from fastapi import FastAPI, Query
from fastapi.responses import HTMLResponse

app = FastAPI()


@app.get("/greet", response_class=HTMLResponse)
def greet(name: str = Query("guest")):
    return "<p>Greetings, " + name + "</p>"
