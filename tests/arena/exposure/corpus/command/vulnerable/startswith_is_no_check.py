from django.http import HttpResponse, HttpResponseBadRequest
from django.views import View
import os


class PingView(View):
    http_method_names = ["get"]

    def get(self, request, *args, **kwargs):
        url = request.GET.get("url")
        if url is None or url == "":
            return HttpResponseBadRequest("url is missing")
        if not (url.startswith("http://") or url.startswith("https://")):
            return HttpResponseBadRequest("scheme")
        host = url.replace("https://", "").replace("http://", "").rstrip("/")
        result = os.popen("ping -c 1 " + host).read()
        return HttpResponse(result, content_type="text/plain")
