from aiohttp import web
import pathlib

routes = web.RouteTableDef()


@routes.get("/img")
async def img(request):
    name = request.query.get("name")
    folder = pathlib.Path("images")
    return web.FileResponse(folder.joinpath(name))


app = web.Application()
app.add_routes(routes)
