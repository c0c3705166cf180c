from urllib.request import urlopen
from django.http import HttpResponse


def picture(request):
    address = request.POST["address"]
    with urlopen(address) as answer:
        data = answer.read()
    return HttpResponse(data, content_type="image/png")
