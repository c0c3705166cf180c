import re
from django.shortcuts import redirect
from django.views.generic import View


class Out(View):
    inside = re.compile(r"\Ahttps://(www\.|m\.)?example\.com(/[^\\]*)?\Z")

    def is_inside(self, url):
        return self.inside.match(url) is not None

    def get(self, request, *args, **kwargs):
        url = request.GET.get("url", "/")
        if self.is_inside(url):
            return redirect(url)
        return redirect("home")
