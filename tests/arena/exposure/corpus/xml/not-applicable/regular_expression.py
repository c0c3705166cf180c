import re
import sys

TITLE = re.compile(r"<title>([^<]*)</title>")


def titles(text):
    return TITLE.findall(text)


if __name__ == "__main__":
    for title in titles(sys.stdin.read()):
        print(title)
