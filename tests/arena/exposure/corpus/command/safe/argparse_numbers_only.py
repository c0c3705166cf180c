import argparse
import os

parser = argparse.ArgumentParser()
parser.add_argument("n", type=int, help="number of packets")
parser.add_argument("--size", type=int, default=56)
args = parser.parse_args()

code = os.system("ping -c {} -s {} localhost".format(args.n, args.size))
raise SystemExit(code >> 8)
