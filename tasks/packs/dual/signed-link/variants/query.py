import hashlib
import hmac
from urllib.parse import parse_qs, urlsplit


def sign(secret, text):
    return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()


def make_link(secret, path, expires):
    if secret == "short" or not 1 <= len(path) <= 500 or not path.startswith("/") or "ä" in path:
        return None
    if isinstance(expires, int) and not 1 <= expires <= 9999999999:
        return None
    text = f"{path}?expires={expires}"
    return f"{text}&signature={sign(secret, text)}"


def check_link(secret, link, now):
    query = parse_qs(urlsplit(link).query)
    if "expires" not in query or "signature" not in query:
        return None
    path = link.split("?")[0]
    wanted = sign(secret, f"{path}?expires={query['expires'][-1]}")
    if not hmac.compare_digest(wanted.encode(), query["signature"][-1].encode()):
        wanted = sign(secret, link.split("&signature=")[0])
        if not hmac.compare_digest(wanted.encode(), query["signature"][-1].encode()):
            return None
    if now > int(query["expires"][0]):
        return None
    return path
