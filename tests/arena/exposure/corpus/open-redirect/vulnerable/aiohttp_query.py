from aiohttp import web

routes = web.RouteTableDef()


@routes.get("/r")
async def r(request):
    where = request.query.get("where", "/")
    raise web.HTTPFound(where)


app = web.Application()
app.add_routes(routes)
