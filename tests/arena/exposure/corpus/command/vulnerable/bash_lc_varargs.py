import asyncio
from aiohttp import web


async def ping(request):
    host = request.query.get("host", "127.0.0.1")
    script = f"ping -c 3 {host} | tail -n 2"
    process = await asyncio.create_subprocess_exec(
        "bash", "-lc", script, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    return web.Response(text=out.decode())


app = web.Application()
app.router.add_get("/ping", ping)

if __name__ == "__main__":
    web.run_app(app)
