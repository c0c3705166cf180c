import aiofiles
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

async def image(request):
    name = request.query_params["picture"]
    async with aiofiles.open(f"images/{name}", mode="rb") as f:
        return Response(await f.read(), media_type="image/png")

app = Starlette(routes=[Route("/image", image)])
