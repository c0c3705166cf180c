import sys

name = sys.argv[1] if len(sys.argv) > 1 else "you"
print("token of friendship for %s" % name)
