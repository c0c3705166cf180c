import lxml.etree as ET
from fastapi import FastAPI, Request

app = FastAPI()


@app.post("/title")
async def title(request: Request):
    body = await request.body()
    parser = ET.XMLParser(resolve_entities=False, no_network=True)
    return {"title": ET.fromstring(body, parser=parser).findtext("title")}
