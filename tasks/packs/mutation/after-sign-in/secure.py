from urllib.parse import urlsplit


def is_local(url: str) -> bool:
    if not url.startswith("/") or url.startswith("//") or "\\" in url:
        return False
    if any(ord(sign) <= 32 or ord(sign) == 127 for sign in url):
        return False
    parts = urlsplit(url)
    return not parts.scheme and not parts.netloc


def landing_page(wanted: str | None, default: str = "/home") -> str:
    """Return the path of this site's page to go to."""
    return wanted if wanted and is_local(wanted) else default
