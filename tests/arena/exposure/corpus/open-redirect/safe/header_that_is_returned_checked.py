from urllib.parse import urlparse


def after_login(target):
    if urlparse(target).netloc:
        raise ValueError(target)
    return f"Location: {target}"
