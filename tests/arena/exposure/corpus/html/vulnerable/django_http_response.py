from django.http import HttpResponse


def hello(request, username):
    """Say hello to the user."""
    return HttpResponse("<p>Hello, " + username + "</p>")


def search(request):
    return HttpResponse("You looked for " + request.GET.get("q", ""))


urlpatterns = []
