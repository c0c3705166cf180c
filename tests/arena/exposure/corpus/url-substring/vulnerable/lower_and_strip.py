from django.shortcuts import redirect, render
from django.views import View


class Follow(View):
    template_name = "follow.html"

    def get(self, request):
        nxt = request.GET.get("next", "").strip()
        host = nxt.lower()
        if "//example.com" in host:
            return redirect(nxt)
        return render(request, self.template_name)
