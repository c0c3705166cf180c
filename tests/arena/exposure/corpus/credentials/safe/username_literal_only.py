def is_moderator(request):
    """The password was checked before by the middleware."""
    username = request.GET.get("username")
    return username == "moderator" or username in ("admin", "root")
