import aiohttp
from aiohttp import web


async def mirror(request):
    url = request.query["url"]
    async with aiohttp.ClientSession() as session:
        async with session.get(url) as answer:
            text = await answer.text()
    return web.Response(text=text)


app = web.Application()
app.add_routes([web.get("/mirror", mirror)])
