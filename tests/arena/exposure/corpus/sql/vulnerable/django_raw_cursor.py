from django.db import connection
from django.http import HttpResponse, HttpResponseNotAllowed


def unsubscribe(request):
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    email = request.POST.get("email", "")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE subscriber SET active = 0 WHERE email = '%s'" % email)
        changed = cursor.rowcount
    return HttpResponse("%d changed" % changed)
