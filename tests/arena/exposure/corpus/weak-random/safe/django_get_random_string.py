from django.core.mail import send_mail
from django.http import HttpResponse
from django.utils.crypto import get_random_string


def forgot(request):
    token = get_random_string(40)
    request.session["reset_token"] = token
    send_mail("Reset", "/reset/" + token, None, [request.POST["email"]])
    return HttpResponse("sent")
