import re
from aiohttp import web

GOOD = re.compile("https?://example\\.com.+")


async def handler(request):
    location = request.query.get("location", "")
    if GOOD.fullmatch(location):
        raise web.HTTPFound(location)
    return web.Response(text="not ours")


app = web.Application()
app.add_routes([web.get("/", handler)])

if __name__ == "__main__":
    web.run_app(app)
