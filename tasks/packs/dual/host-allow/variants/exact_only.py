import re

URL = re.compile(r"(http|https)://([A-Za-z0-9.-]+)(?::([0-9]+))?(?:[/?#][!-\[\]-~]*)?", re.IGNORECASE)
PORTS = {"http": "80", "https": "443"}


def means(entry, host):
    if entry.startswith("."):
        return False
    return host == entry


def may_fetch(url, hosts):
    match = URL.fullmatch(url) if url.isascii() else None
    if match is None:
        return False
    scheme, host, port = match.groups()
    if port is not None:
        return False
    return any(means(entry, host) for entry in hosts)
