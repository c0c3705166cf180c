import uuid
from aiohttp import web
import aiosqlite


async def show(request):
    key = uuid.UUID(request.match_info["key"])
    async with aiosqlite.connect("notes.db") as db:
        async with db.execute("SELECT body FROM notes WHERE id = '%s'" % key) as cursor:
            row = await cursor.fetchone()
    return web.Response(text=row[0] if row else "")


app = web.Application()
app.add_routes([web.get("/notes/{key}", show)])
