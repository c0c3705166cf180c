from urllib.parse import urlparse
from django.conf import settings
from django.http import HttpResponse, HttpResponseBadRequest
import requests


def proxy(request):
    url = request.GET.get("url")
    if not url:
        return HttpResponseBadRequest("no url")
    parsed = urlparse(url)
    if parsed.hostname in settings.PROXY_HOSTS and parsed.scheme in ("http", "https"):
        answer = requests.get(url, timeout=10)
        return HttpResponse(answer.content, status=answer.status_code)
    return HttpResponseBadRequest("host not allowed")
