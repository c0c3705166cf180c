import re
import sys

NUMBER = re.compile(r"(\+|00|0(?!0))(\d+(?:[\s.-]\d+)*)\s?")


def normal(text, country):
    text = text.strip(" ")
    match = NUMBER.fullmatch(text) if len(text) <= 40 else None
    if match is None:
        return "invalid"
    mark, rest = match.group(1), match.group(2)
    digits = re.sub(r"[\s.-]", "", rest)
    if mark == "0":
        digits = country + digits
    if not 8 <= len(digits) <= 15 or digits.startswith("0"):
        return "invalid"
    return "+" + digits


def main():
    for line in sys.stdin.read().splitlines():
        print(normal(line, sys.argv[1]))


if __name__ == "__main__":
    main()
