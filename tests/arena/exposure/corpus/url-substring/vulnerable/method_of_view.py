from django.http import HttpResponse, HttpResponseRedirect
from django.views import View


class Away(View):
    allowed_domain = "example.com"

    def _allowed(self, url):
        return self.allowed_domain in url

    def get(self, request):
        url = request.GET.get("url", "")
        if self._allowed(url):
            return HttpResponseRedirect(url)
        return HttpResponse("not allowed", status=403)
