from django.shortcuts import render
from django.template import Context, Template
from django.http import HttpResponse


def hello(request):
    template = Template("<p>Hello {{ name }}</p>")
    html = template.render(Context({"name": request.GET.get("name", "")}))
    return HttpResponse(html)


def page(request):
    return render(request, "page.html", {"q": request.GET.get("q")})
