from django.http import JsonResponse
from django.views.decorators.http import require_GET
import subprocess


@require_GET
def ping(request):
    host = request.GET.get("host", "localhost")
    try:
        completed = subprocess.run(
            ["ping", "-c", "1", "--", host],
            shell=False,
            stdout=subprocess.PIPE,
            timeout=5,
        )
    except subprocess.TimeoutExpired:
        return JsonResponse({"error": "timeout"}, status=504)
    return JsonResponse({"code": completed.returncode})
