import io
from aiohttp import web
from lxml import etree


async def count(request):
    body = await request.read()
    n = 0
    for event, element in etree.iterparse(io.BytesIO(body), tag="row"):
        n += 1
        element.clear()
    return web.json_response({"rows": n})


app = web.Application()
app.router.add_post("/count", count)
