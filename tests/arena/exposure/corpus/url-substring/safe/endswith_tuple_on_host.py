from urllib.parse import urlparse
from aiohttp import web

SUFFIXES = (".example.com", ".example.org")


async def handle(request):
    url = request.query.get("url", "")
    host = urlparse(url).hostname or ""
    if not host.endswith(SUFFIXES):
        raise web.HTTPForbidden()
    raise web.HTTPFound(url)
