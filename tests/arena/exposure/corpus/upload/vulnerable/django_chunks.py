import os
from django.conf import settings
from django.http import HttpResponse


def upload(request):
    if request.method == "POST" and request.FILES.get("doc"):
        doc = request.FILES["doc"]
        with open(os.path.join(settings.MEDIA_ROOT, doc.name), "wb+") as out:
            for chunk in doc.chunks():
                out.write(chunk)
        return HttpResponse("stored")
    return HttpResponse("nothing sent", status=400)
