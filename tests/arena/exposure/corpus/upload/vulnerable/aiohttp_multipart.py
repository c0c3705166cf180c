from aiohttp import web
import os


async def store(request):
    reader = await request.multipart()
    field = await reader.next()
    filename = field.filename
    with open(os.path.join("/srv/files", filename), "wb") as f:
        while True:
            chunk = await field.read_chunk()
            if not chunk:
                break
            f.write(chunk)
    return web.Response(text="stored")


app = web.Application()
app.router.add_post("/store", store)
