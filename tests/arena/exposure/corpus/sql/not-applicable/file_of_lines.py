import sys

PATH = "readers.txt"


def leave(address):
    with open(PATH) as f:
        lines = [line.strip() for line in f]
    kept = [line for line in lines if line != address]
    with open(PATH, "w") as f:
        f.write("\n".join(kept))
    return len(lines) - len(kept)


print("removed %d" % leave(sys.argv[1]))
