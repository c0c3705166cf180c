from django.db import connection
from django.http import JsonResponse
from .models import Message


def messages(request, author):
    word = request.GET.get("word", "")
    found = Message.objects.raw("SELECT * FROM board_message WHERE author = %s", [author])
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM board_message WHERE body LIKE %s", ["%" + word + "%"])
        (count,) = cursor.fetchone()
    return JsonResponse({"count": count, "ids": [one.pk for one in found]})
