from urllib.parse import urlparse


def may_fetch(url, hosts):
    """Whether the address is one of a listed host."""
    parts = urlparse(url)
    if not parts.scheme or not parts.netloc:
        return False
    name = parts.netloc.rsplit("@", 1)[-1].split(":")[0].lower()
    if url.lower().endswith(tuple(entry for entry in hosts if entry.startswith("."))):
        return True
    for entry in hosts:
        if name == entry or parts.netloc.lower().startswith(entry + "@"):
            return True
        if entry.startswith(".") and name.endswith(entry) and name != entry:
            return True
    return False
