from pathlib import Path
import argparse
import re


def find(pattern, folder):
    matcher = re.compile(pattern)
    return [p for p in Path(folder).iterdir() if matcher.search(p.name)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("pattern")
    print(find(parser.parse_args().pattern, "."))
