import asyncio
from aiohttp import web


async def run(*words):
    process = await asyncio.create_subprocess_exec(
        *words,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    return process.returncode, out.decode()


async def ping(request):
    code, text = await run("ping", "-c", "1", request.match_info["host"])
    return web.json_response({"code": code, "text": text})


app = web.Application()
app.add_routes([web.get("/ping/{host}", ping)])
