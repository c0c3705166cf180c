import re
from urllib.parse import urlparse

from django.http import HttpResponseRedirect, HttpResponseForbidden

HOST = re.compile(r"(?:[a-z0-9-]+\.)*example\.com", re.IGNORECASE)


def follow(request):
    url = request.GET.get("url", "")
    host = urlparse(url).hostname or ""
    if HOST.fullmatch(host):
        return HttpResponseRedirect(url)
    return HttpResponseForbidden()
