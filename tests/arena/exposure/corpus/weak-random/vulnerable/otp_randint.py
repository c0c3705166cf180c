import random
from django.http import JsonResponse
from .sms import send


def send_code(request):
    otp = random.randint(100000, 999999)
    request.session["otp"] = otp
    send(request.POST["phone"], "Your code is %d" % otp)
    return JsonResponse({"sent": True})
