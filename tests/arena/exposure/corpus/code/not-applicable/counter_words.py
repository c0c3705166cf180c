import sys
from collections import Counter


def words(stream):
    for line in stream:
        yield from line.lower().split()


if __name__ == "__main__":
    for word, number in Counter(words(sys.stdin)).most_common(10):
        print("%6d %s" % (number, word))
