import yaml as y
import sys


def main():
    text = sys.stdin.read()
    data = y.unsafe_load(text)
    for key, value in data.items():
        print("%s = %s" % (key, value))


main()
