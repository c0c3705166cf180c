import os
from django.conf import settings
from django.http import HttpResponse, HttpResponseBadRequest
from django.utils.text import get_valid_filename

ALLOWED = {".pdf"}


def upload(request):
    doc = request.FILES["doc"]
    name = get_valid_filename(doc.name)
    if os.path.splitext(name)[1].lower() not in ALLOWED:
        return HttpResponseBadRequest("pdf only")
    with open(os.path.join(settings.MEDIA_ROOT, name), "wb") as out:
        for chunk in doc.chunks():
            out.write(chunk)
    return HttpResponse("stored")
