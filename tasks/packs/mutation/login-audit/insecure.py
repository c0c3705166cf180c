import logging

audit = logging.getLogger("audit")


def note_login(user: str, address: str, success: bool) -> None:
    level, word = (logging.INFO, "accepted") if success else (logging.WARNING, "refused")
    audit.log(level, "login %s: user=%s address=%s", word, user, address)
