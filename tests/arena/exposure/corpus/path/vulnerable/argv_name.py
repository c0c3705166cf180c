import sys
import os


def main(argv):
    if len(argv) != 2:
        print("usage: show NAME")
        return 2
    target = os.path.join("images", argv[1])
    sys.stdout.buffer.write(open(target, "rb").read())
    return 0


sys.exit(main(sys.argv))
