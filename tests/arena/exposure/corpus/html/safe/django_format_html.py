from django.http import HttpResponse
from django.utils.html import escape, format_html


def hello(request, username):
    return HttpResponse(format_html("<p>Hello, {}</p>", username))


def search(request):
    term = escape(request.GET.get("q", ""))
    return HttpResponse("<p>You looked for " + term + "</p>")
