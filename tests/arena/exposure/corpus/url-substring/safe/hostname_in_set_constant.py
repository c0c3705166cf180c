from urllib.parse import urlsplit
from django.http import HttpResponseRedirect, HttpResponseForbidden

HOSTS = {"example.com", "docs.example.com"}


def leave(request):
    url = request.GET["url"]
    if urlsplit(url).hostname in HOSTS:
        return HttpResponseRedirect(url)
    return HttpResponseForbidden("elsewhere")
