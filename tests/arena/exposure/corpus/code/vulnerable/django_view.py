from django.http import JsonResponse
from django.views.decorators.csrf import csrf_exempt
import json


@csrf_exempt
def calc(request):
    body = json.loads(request.body)
    formula = body.get("formula", "")
    for name, value in body.get("variables", {}).items():
        formula = formula.replace(name, str(value))
    return JsonResponse({"result": eval(formula)})
