"""Digests of files: made, and checked against a list."""

import hashlib
import os
import re
import stat
import sys

LINE = re.compile(r"(?:sha256:(?P<sha256>[0-9a-f]{64})|sha512:(?P<sha512>[0-9a-f]{128})) (?P<name>.+)")


def digest(name, algorithm):
    with open(name, "rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


def kind(name):
    """ "file", "nothing", or "other" for what must not be read."""
    if not name or "/" in name or "\0" in name or name in (".", ".."):
        return "other"
    try:
        mode = os.lstat(name).st_mode
    except FileNotFoundError:
        return "nothing"
    except OSError:
        return "other"
    return "file" if stat.S_ISREG(mode) else "other"


def checked(line):
    fields = LINE.fullmatch(line)
    if not fields or kind(fields["name"]) == "other":
        return "refused"
    name = fields["name"]
    if kind(name) == "nothing":
        return f"missing {name}"
    algorithm = "sha256" if fields["sha256"] else "sha512"
    return f"{'ok' if digest(name, algorithm) == fields[algorithm] else 'changed'} {name}"


def check(list_name):
    try:
        with open(list_name, encoding="utf-8", newline="") as file:
            text = file.read()
    except (OSError, ValueError):
        return 2
    lines = text.removesuffix("\n").split("\n") if text else []
    answers = [checked(line) for line in lines]
    print(*answers, sep="\n")
    return 0 if answers and all(answer.startswith("ok ") for answer in answers) else 1


def make(names):
    if not all(kind(name) == "file" for name in names):
        return 2
    for name in names:
        print(f"sha256:{digest(name, 'sha256')} {name}")
    return 0


def main(arguments):
    if len(arguments) >= 2 and arguments[0] == "make":
        return make(arguments[1:])
    if len(arguments) == 2 and arguments[0] == "check":
        return check(arguments[1])
    return 2


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    sys.exit(main(sys.argv[1:]))
