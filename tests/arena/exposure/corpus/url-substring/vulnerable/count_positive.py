from aiohttp import web


class Bounce(web.View):
    async def get(self):
        url = self.request.query.get("url", "")
        if url.count("example.com") > 0:
            raise web.HTTPFound(url)
        return web.Response(status=400, text="bad")
