from django.shortcuts import redirect


def back(request):
    where = request.GET.get("back")
    if where:
        return redirect(where)
    return redirect("home")
