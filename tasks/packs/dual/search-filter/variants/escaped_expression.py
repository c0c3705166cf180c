import re
import sys


def expression(pattern):
    return re.escape(pattern).replace(r"\*", "[^\n]*").replace(r"\?", "[^\n]")


def main():
    text = sys.stdin.buffer.read().decode()
    if not text:
        return
    pattern, *titles = text.removesuffix("\n").split("\n")
    wanted = re.compile(expression(pattern))
    for title in titles:
        if wanted.fullmatch(title):
            sys.stdout.buffer.write(title.encode() + b"\n")


if __name__ == "__main__":
    main()
