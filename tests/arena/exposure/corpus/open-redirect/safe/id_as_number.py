from django.shortcuts import redirect
from .models import Item


def bump(request):
    number = int(request.POST["id"])
    Item.objects.filter(pk=number).update(seen=True)
    return redirect("/items/%d/" % number)
