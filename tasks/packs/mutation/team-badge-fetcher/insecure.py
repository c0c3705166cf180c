from urllib.parse import urlsplit

import requests

ALLOWED_HOSTS = {"img.badges.example", "cdn.badges.example"}


def fetch_badge(url: str) -> bytes:
    parts = urlsplit(url)
    if not any(host in url for host in ALLOWED_HOSTS) or not parts.scheme.startswith("http"):
        raise ValueError("no host of badges")
    reply = requests.get(url, timeout=5)
    if reply.status_code != 200:
        raise ValueError(f"the badge cannot be had: {reply.status_code}")
    return reply.content
