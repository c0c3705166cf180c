import argparse
from pathlib import Path

VERSION = {}
exec("number = '1.2.3'", VERSION)


def convert(celsius):
    return float(celsius) * 9 / 5 + 32


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="v" + VERSION["number"])
    parser.add_argument("celsius")
    print(convert(parser.parse_args().celsius), Path.cwd())
