from urllib.parse import urlsplit


def landing_page(wanted: str | None, default: str = "/home") -> str:
    """Return the path of this site's page to go to."""
    url = wanted or ""
    try:
        parts = urlsplit(url)
    except ValueError:
        return default
    return url if parts.path.startswith("/") else default
