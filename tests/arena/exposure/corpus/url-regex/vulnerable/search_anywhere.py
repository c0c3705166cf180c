import re

from django.http import HttpResponseBadRequest, HttpResponseRedirect


def continue_view(request):
    target = request.GET.get("next", "/")
    if re.search(r"example\.com/", target):
        return HttpResponseRedirect(target)
    return HttpResponseBadRequest("unknown site")
