import yaml
from django.views import View
from django.http import HttpResponse


class Import(View):
    def post(self, request):
        count = 0
        for one in yaml.load_all(request.body, Loader=yaml.UnsafeLoader):
            self.keep(one)
            count += 1
        return HttpResponse("%d kept" % count)

    def keep(self, one):
        pass
