from aiohttp import web

KNOWN = frozenset({"/a", "/b", "https://example.org/c"})


async def move(request):
    to = request.query.get("to", "/a")
    if to not in KNOWN:
        raise web.HTTPBadRequest(text="unknown")
    raise web.HTTPFound(to)
