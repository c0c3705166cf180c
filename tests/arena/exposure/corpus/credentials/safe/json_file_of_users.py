import json

from django.http import JsonResponse


def _users():
    with open("users.json") as handle:
        return json.load(handle)


def check_mod(request):
    users = _users()
    name = request.POST.get("username", "")
    password = request.POST.get("password", "")
    ok = name in users and users[name]["password"] == password
    return JsonResponse({"moderator": ok and users[name]["role"] == "moderator"})
