import argparse
import html
from pathlib import Path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("--out", default="hello.html")
    args = parser.parse_args()
    page = "<h1>Hello {}</h1>".format(args.name)
    Path(args.out).write_text(page)
    print("wrote", html.escape(args.out))


main()
