import logging

audit = logging.getLogger("audit")


def printable(text: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def note_login(user: str, address: str, success: bool) -> None:
    level, word = (logging.INFO, "accepted") if success else (logging.WARNING, "refused")
    audit.log(level, "login %s: user=%s address=%s", word, printable(user), printable(address))
