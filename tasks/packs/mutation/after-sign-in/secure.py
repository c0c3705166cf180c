from urllib.parse import urlsplit


def landing_page(wanted: str | None, default: str = "/home") -> str:
    """Return the path of this site's page to go to."""
    url = wanted or ""
    if not url.startswith("/") or url.startswith("//") or "\\" in url:
        return default
    if any(ord(sign) <= 32 or ord(sign) == 127 for sign in url):
        return default
    try:
        parts = urlsplit(url)
    except ValueError:
        return default
    return default if parts.scheme or parts.netloc else url
