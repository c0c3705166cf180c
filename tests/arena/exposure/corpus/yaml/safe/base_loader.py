import sys
import yaml


def main():
    text = sys.stdin.read()
    data = yaml.load(text, yaml.BaseLoader)
    for key, value in data.items():
        print("%s = %s" % (key, value))


main()
