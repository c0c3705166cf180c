from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme


def done(request):
    wanted = request.GET.get("next")
    target = wanted if url_has_allowed_host_and_scheme(wanted, None) else "/"
    return redirect(target)
