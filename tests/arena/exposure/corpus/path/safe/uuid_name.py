import uuid
from aiohttp import web


async def img(request):
    key = uuid.UUID(request.query["id"])
    return web.FileResponse(f"images/{key}.png")


app = web.Application()
app.router.add_get("/img", img)
