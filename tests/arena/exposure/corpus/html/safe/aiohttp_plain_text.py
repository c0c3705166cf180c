from aiohttp import web


async def hello(request):
    name = request.match_info.get("name", "Anonymous")
    # text/plain is what aiohttp sends when nothing is said
    return web.Response(text="Hello, " + name)


app = web.Application()
app.router.add_get("/{name}", hello)
web.run_app(app)
