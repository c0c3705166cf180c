import re
import sys
import unicodedata

NAME = re.compile(r"^[^\W\d_](?:[._-]?[^\W_])+$")
KEPT = {"admin", "moderator", "root", "support", "system"}


def canonical(typed):
    return unicodedata.normalize("NFKC", typed.strip(" ")).lower()


def is_name(name):
    return 3 <= len(name) <= 20 and NAME.match(name) is not None and name not in KEPT


def main():
    if len(sys.argv) != 2:
        return 2
    name = canonical(sys.argv[1])
    if not is_name(name):
        return 2
    with open("users.txt", encoding="utf-8") as file:
        if name in file.read().splitlines():
            return 3
    print(name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
