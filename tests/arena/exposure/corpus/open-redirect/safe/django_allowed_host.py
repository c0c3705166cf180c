from django.http import HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme


def done(request):
    url = request.GET.get("next", "/")
    if url_has_allowed_host_and_scheme(url, allowed_hosts={request.get_host()}):
        return HttpResponseRedirect(url)
    return HttpResponseRedirect("/")
