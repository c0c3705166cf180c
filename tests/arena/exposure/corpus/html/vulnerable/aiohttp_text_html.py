from aiohttp import web

routes = web.RouteTableDef()


@routes.get("/hello/{name}")
async def hello(request):
    name = request.match_info["name"]
    return web.Response(text="<h1>Hello {}</h1>".format(name), content_type="text/html")


app = web.Application()
app.add_routes(routes)
web.run_app(app)
