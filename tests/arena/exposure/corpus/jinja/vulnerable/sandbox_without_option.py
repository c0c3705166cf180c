from aiohttp import web
from jinja2 import FileSystemLoader
from jinja2.sandbox import SandboxedEnvironment

# the sandbox stops code, not markup
env = SandboxedEnvironment(loader=FileSystemLoader("templates"))


async def page(request):
    text = env.get_template("page.html").render(title=request.query.get("title"))
    return web.Response(text=text, content_type="text/html")


app = web.Application()
app.router.add_get("/", page)
