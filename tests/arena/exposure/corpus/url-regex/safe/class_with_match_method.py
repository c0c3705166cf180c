import re
from sanic import Sanic, response

app = Sanic("links")


class Site:
    expression = r"^https://(www\.)?example\.com(/.*)?$"

    def match(self, url):
        return re.match(self.expression, url)


site = Site()


@app.get("/out")
async def out(request):
    to = request.args.get("to", "")
    if site.match(to):
        return response.redirect(to)
    return response.text("no", status=400)
