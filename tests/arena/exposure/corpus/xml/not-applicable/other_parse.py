import argparse
from urllib.parse import urlparse
from datetime import datetime


def parse(text):
    return datetime.fromisoformat(text)


parser = argparse.ArgumentParser()
parser.add_argument("url")
parser.add_argument("when")
args = parser.parse_args()
print(urlparse(args.url).hostname, parse(args.when))
