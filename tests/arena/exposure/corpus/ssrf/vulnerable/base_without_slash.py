import sys
import urllib.request

BASE = "https://files.example.org"


def fetch(path):
    return urllib.request.urlopen(BASE + path).read()


if __name__ == "__main__":
    sys.stdout.buffer.write(fetch(sys.argv[1]))
