from django.http import JsonResponse
from yaml import safe_load_all as documents


def upload(request):
    names = []
    for document in documents(request.FILES["file"].read()):
        names.append(document.get("name"))
    return JsonResponse({"names": names})
