from django.http import HttpResponseRedirect
from django.urls import reverse
from django.views import View


class Save(View):
    def post(self, request, slug):
        title = request.POST.get("title", slug)
        print("saving {}".format(title))
        return HttpResponseRedirect(reverse("page", args=[slug]))
