import hashlib as hl
from django.http import HttpResponse
from .models import Account


def _hexdigest(text):
    return hl.sha1(text.encode("utf8")).hexdigest()


def signup(request):
    secret = _hexdigest(request.POST["password"])
    Account.objects.create(name=request.POST["name"], secret=secret)
    return HttpResponse("ok")
