import os
import uuid
from django.core.files.storage import default_storage
from django.http import JsonResponse


def upload(request):
    sent = request.FILES["file"]
    ending = sent.name.split(".")[-1]
    saved = default_storage.save("avatars/%s.%s" % (uuid.uuid4(), ending), sent)
    return JsonResponse({"saved": saved})
