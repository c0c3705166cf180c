import argparse
import requests

parser = argparse.ArgumentParser()
parser.add_argument("url")
parser.add_argument("--insecure", action="store_true")


def fetch(url, insecure=False):
    verify = True
    if insecure:
        verify = False
    return requests.get(url, verify=verify)


if __name__ == "__main__":
    args = parser.parse_args()
    print(fetch(args.url, args.insecure).status_code)
