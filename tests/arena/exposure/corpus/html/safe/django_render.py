from django.shortcuts import render
from django.http import JsonResponse
from django.views import View


class GreetView(View):
    def get(self, request, *args, **kwargs):
        context = {"name": request.GET.get("name", "you")}
        if request.GET.get("format") == "json":
            return JsonResponse(context)
        return render(request, "greet.html", context)
