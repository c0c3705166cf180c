#!/usr/bin/env python
import argparse
import os
import sys


def parse():
    parser = argparse.ArgumentParser(description="ping something")
    parser.add_argument("host", help="name or address")
    parser.add_argument("-c", "--count", type=int, default=3)
    return parser.parse_args()


def main():
    args = parse()
    rc = os.system("ping -c {count} {host}".format(count=args.count, host=args.host))
    sys.exit(0 if rc == 0 else 1)


if __name__ == "__main__":
    main()
