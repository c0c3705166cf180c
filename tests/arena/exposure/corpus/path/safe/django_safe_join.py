from django.conf import settings
from django.core.exceptions import SuspiciousFileOperation
from django.http import FileResponse, Http404
from django.utils._os import safe_join


def image(request, name):
    try:
        path = safe_join(settings.MEDIA_ROOT, name)
    except SuspiciousFileOperation:
        raise Http404
    return FileResponse(open(path, "rb"))
