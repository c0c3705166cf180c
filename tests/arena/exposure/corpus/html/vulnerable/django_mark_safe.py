from django.shortcuts import render
from django.utils.safestring import mark_safe
from django.views import View


class GreetView(View):
    template_name = "greet.html"

    def get(self, request):
        name = request.GET["name"]
        banner = mark_safe("<em>{}</em>".format(name))
        return render(request, self.template_name, {"banner": banner})
