from django.contrib.auth import authenticate, login
from django.http import HttpResponseRedirect
from django.shortcuts import render


def sign_in(request):
    if request.method == "POST":
        user = authenticate(username=request.POST["name"], password=request.POST["pw"])
        if user is not None:
            login(request, user)
            return HttpResponseRedirect(request.POST.get("next", "/"))
    return render(request, "login.html")
