import re
import sys
import unicodedata

NAME = re.compile(r"[a-z](?:[._-]*[a-z0-9])+")
KEPT = {"admin", "moderator", "root", "support", "system"}


def canonical(typed):
    return unicodedata.normalize("NFKC", typed.strip(" ")).lower()


def is_name(name):
    return NAME.fullmatch(name) is not None


def main():
    if len(sys.argv) != 2:
        return 2
    name = canonical(sys.argv[1])
    if not is_name(name):
        return 2
    with open("users.txt", encoding="utf-8") as file:
        if name in file.read().splitlines():
            return 2
    print(name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
