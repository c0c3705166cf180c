import re
from django.http import HttpResponse, HttpResponseNotFound


def image(request, *args):
    name = request.GET["name"]
    if re.match(r"^\w+\.png$", name):
        with open("images/" + name, "rb") as f:
            return HttpResponse(f.read(), content_type="image/png")
    return HttpResponseNotFound()
