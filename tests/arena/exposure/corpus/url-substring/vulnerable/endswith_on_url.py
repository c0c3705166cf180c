from django.http import HttpResponseRedirect, HttpResponseBadRequest


def leave(request):
    url = request.GET.get("url", "")
    if url.endswith("example.com"):
        return HttpResponseRedirect(url)
    return HttpResponseBadRequest("only example.com")
