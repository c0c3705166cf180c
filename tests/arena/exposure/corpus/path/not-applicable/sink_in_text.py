import sys

USAGE = """
usage: open(sys.argv[1]) is not what this does
    send_file(name)
"""


def main():
    names = sys.argv[1:]
    if not names:
        print(USAGE)
    for name in names:
        print("would serve images/" + name)


main()
