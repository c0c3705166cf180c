from django.http import HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme


def after_login(request):
    nxt = request.POST.get("next", "/")
    if not url_has_allowed_host_and_scheme(nxt, allowed_hosts={"example.com"}):
        nxt = "/"
    return HttpResponseRedirect(nxt)
