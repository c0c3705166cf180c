from urllib.parse import urlsplit
from django.http import HttpResponse, HttpResponseForbidden
import urllib.request


def picture(request):
    address = request.GET["address"]
    parts = urlsplit(address)
    if parts.scheme == "https" and parts.netloc == "pictures.example.org":
        with urllib.request.urlopen(address) as answer:
            return HttpResponse(answer.read())
    return HttpResponseForbidden()
