from urllib.parse import urlsplit


def is_local(url: str) -> bool:
    try:
        return urlsplit(url).path.startswith("/")
    except ValueError:
        return False


def landing_page(wanted: str | None, default: str = "/home") -> str:
    """Return the path of this site's page to go to."""
    return wanted if wanted and is_local(wanted) else default
