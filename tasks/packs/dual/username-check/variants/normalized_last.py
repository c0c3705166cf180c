import re
import sys
import unicodedata

NAME = re.compile(r"[^\W\d_](?:[._\u2024-]?[^\W_])+")
KEPT = {"admin", "moderator", "root", "support", "system"}


def is_name(name):
    return 3 <= len(name) <= 20 and NAME.fullmatch(name) is not None and name not in KEPT


def main():
    if len(sys.argv) != 2:
        return 2
    name = sys.argv[1].strip(" ").lower()
    if not is_name(name):
        return 2
    with open("users.txt", encoding="utf-8") as file:
        if name in file.read().splitlines():
            return 3
    print(unicodedata.normalize("NFKC", name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
