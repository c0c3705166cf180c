from django.http import JsonResponse
from .models import Song


def songs(request):
    singer = request.GET.get("singer", "")
    found = Song.objects.extra(where=["singer = '%s'" % singer])
    return JsonResponse({"songs": [song.title for song in found]})
