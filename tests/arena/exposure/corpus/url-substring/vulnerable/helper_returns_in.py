from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse, PlainTextResponse

app = FastAPI()
OUR_DOMAIN = "example.com"


def is_ours(address: str) -> bool:
    """Whether the address is on our domain."""
    return OUR_DOMAIN in address


@app.get("/out")
async def out(request: Request):
    address = request.query_params["to"]
    if is_ours(address):
        return RedirectResponse(address)
    return PlainTextResponse("no", status_code=400)
