from django.http import JsonResponse
import yaml


def upload(request):
    names = []
    for document in yaml.full_load_all(request.FILES["file"].read()):
        names.append(document.get("name"))
    return JsonResponse({"names": names})
