import re
import sys

NUMBER = re.compile(rb"(\+|00|0(?!0))([0-9]+[ 0-9./-]*)")
LONGEST = 40


def normal(line, country):
    text = line.strip(b" ")
    match = NUMBER.fullmatch(text) if len(text) <= LONGEST else None
    if match is None:
        return b"invalid"
    mark, rest = match.groups()
    digits = re.sub(rb"[ .-]", b"", rest)
    if mark == b"0":
        digits = country + digits
    if not 8 <= len(digits) <= 99 or digits.startswith(b"0"):
        return b"invalid"
    return b"+" + digits


def main():
    country = sys.argv[1].encode()
    print("numbers", flush=True)
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(normal(line.removesuffix(b"\n"), country) + b"\n")


if __name__ == "__main__":
    main()
