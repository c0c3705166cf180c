from django.http import HttpResponse

ACCOUNTS = [
    {"username": "mod1", "password": "p4ss-one", "moderator": True},
    {"username": "guest", "password": "guest", "moderator": False},
]


def check_mod(request):
    username = request.GET.get("username")
    password = request.GET.get("password")
    for account in ACCOUNTS:
        if account["username"] == username and account["password"] == password:
            return HttpResponse("true" if account["moderator"] else "false")
    return HttpResponse("false")
