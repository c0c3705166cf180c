import os

from django.conf import settings
from django.http import FileResponse, Http404


def image(request):
    """Return the image named in ?name=."""
    name = request.GET.get("name")
    path = os.path.join(settings.MEDIA_ROOT, "images", name)
    try:
        return FileResponse(open(path, "rb"))
    except FileNotFoundError:
        raise Http404("no such image")
