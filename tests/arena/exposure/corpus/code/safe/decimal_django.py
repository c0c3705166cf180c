from decimal import Decimal, InvalidOperation
from django.http import HttpResponseBadRequest, JsonResponse


def add(request):
    try:
        numbers = [Decimal(text) for text in request.GET.getlist("n")]
    except InvalidOperation:
        return HttpResponseBadRequest("numbers only")
    return JsonResponse({"sum": str(sum(numbers))})
