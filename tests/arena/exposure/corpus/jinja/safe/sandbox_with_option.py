from aiohttp import web
from jinja2 import FileSystemLoader, sandbox

env = sandbox.ImmutableSandboxedEnvironment(
    loader=FileSystemLoader("templates"), autoescape=True, enable_async=True
)


async def page(request):
    template = env.get_template("page.html")
    text = await template.render_async(title=request.query.get("title"))
    return web.Response(text=text, content_type="text/html")


app = web.Application()
app.router.add_get("/", page)
