from lxml import etree
import sys


def main(argv):
    if len(argv) != 2:
        print("usage: show FILE")
        return 2
    with open(argv[1], "rb") as f:
        document = etree.fromstring(f.read())
    for child in document:
        print(child.tag, child.text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
