import re
from django.http import HttpResponse
from django.views import View

SITE = re.compile(r"^(https?:)?//(docs.example.com|static.example.com)/")


class Leave(View):
    def get(self, request):
        to = request.GET["to"]
        if not SITE.match(to):
            return HttpResponse(status=400)
        response = HttpResponse(status=302)
        response["Location"] = to
        return response
