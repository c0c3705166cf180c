from tarfile import open as topen
import sys


def main():
    try:
        archive = topen(sys.argv[1])
    except IndexError:
        sys.exit("usage: unpack ARCHIVE")
    with archive:
        archive.extractall(path="/tmp/unpack")


main()
