import re

HANDLE = re.compile(r"[a-z][a-z0-9_]{2,19}")
RESERVED = frozenset({"admin", "root", "system", "moderator"})


def claim_handle(raw: str, taken: set[str]) -> str:
    handle = raw.strip(" ").lower()
    if not HANDLE.fullmatch(handle):
        raise ValueError("a handle has 3 to 20 letters, digits or underscores")
    if handle in RESERVED or handle in taken:
        raise ValueError("this handle is not free")
    taken.add(handle)
    return handle
