"""Orders for scheduled jobs -> lines and files for the cron daemon."""

import os
import re

FOLDER = "cron.d"
ACCOUNTS = "accounts.txt"
PART = "[0-9]{1,2}(?:-[0-9]{1,2})?"
FIELD = rf"(?:\*(?:/[0-9]{{1,2}})?|{PART}(?:,{PART})*)"
SCHEDULE = re.compile(rf"{FIELD}(?: {FIELD}){{4}}")
NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")
CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def _accounts():
    with open(ACCOUNTS, encoding="utf-8") as lines:
        return {line.rstrip("\n") for line in lines} - {""}


def _fits(pattern, text):
    return isinstance(text, str) and pattern.fullmatch(text) is not None


def _is_word(word):
    return isinstance(word, str) and not CONTROL.search(word)


def _quoted(word):
    if re.fullmatch(r"[\w/-]+", word):
        return word
    return "'" + word.replace("'", "'\\''").replace("%", "\\%") + "'"


def cron_line(schedule, account, words):
    """The crontab line of an order, or None where something in it does not fit."""
    if not _fits(SCHEDULE, schedule) or account not in _accounts():
        return None
    if not isinstance(words, list) or not 1 <= len(words) <= 20 or not all(map(_is_word, words)):
        return None
    return f"{schedule} {account} {' '.join(map(_quoted, words))}"


def install_job(name, schedule, account, words):
    """Write an order's file; its path, or None where something in the order does not fit."""
    line = cron_line(schedule, account, words)
    if line is None or not _fits(NAME, name):
        return None
    path = f"{FOLDER}/{name}"
    if os.path.lexists(path) and (os.path.islink(path) or not os.path.isfile(path)):
        return None
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    with open(descriptor, "w", encoding="utf-8") as job:
        os.fchmod(descriptor, 0o600)
        job.truncate()
        job.write(line + "\n")
    return path
