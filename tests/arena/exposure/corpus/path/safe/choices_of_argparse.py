import argparse

parser = argparse.ArgumentParser()
parser.add_argument("size", type=int)
args = parser.parse_args()
data = open("images/logo-%d.png" % args.size, "rb").read()
print(len(data))
