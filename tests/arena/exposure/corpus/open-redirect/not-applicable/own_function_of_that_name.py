import sys


def redirect(stream, target):
    for line in stream:
        target.write(line)


if __name__ == "__main__":
    redirect(sys.stdin, open("copy.txt", "w"))
