import yaml
from aiohttp import web


async def handle(request):
    loader = yaml.SafeLoader(await request.text())
    try:
        data = loader.get_single_data()
    finally:
        loader.dispose()
    return web.json_response({"keys": sorted(data)})


app = web.Application()
app.router.add_post("/keys", handle)
