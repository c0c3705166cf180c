from urllib.parse import urlparse, parse_qs
import sys


def report(url):
    parts = urlparse(url)
    print("host:", parts.hostname)
    for name, values in parse_qs(parts.query).items():
        print(name, values)


for url in sys.argv[1:]:
    report(url)
