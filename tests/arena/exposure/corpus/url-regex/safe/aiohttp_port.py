import re
from aiohttp import web

ORIGIN = re.compile(r"https?://([\w\-]+\.)*example\.com(:[0-9]{1,5})?/")
routes = web.RouteTableDef()


@routes.get("/out")
async def out(request):
    url = request.query["url"]
    if ORIGIN.match(url):
        raise web.HTTPFound(location=url)
    raise web.HTTPBadRequest()
