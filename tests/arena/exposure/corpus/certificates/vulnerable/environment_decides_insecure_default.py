import os
from django.http import HttpResponse
import requests


def proxy(request):
    check = os.environ.get("CHECK_TLS") == "1"
    answer = requests.request("GET", "https://backend.example.com", verify=check or False)
    return HttpResponse(answer.content)
