from urllib.parse import urlparse

LONGEST = 2000


def return_target(next):
    parts = urlparse(next)
    if parts.netloc or len(next) > LONGEST or " " in next or not next.isascii():
        return "/"
    if not parts.scheme and not next.startswith(("/", "\\")):
        return "/"
    return next
