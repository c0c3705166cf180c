import yaml
import csv
import sys


def convert(path):
    with open(path, newline="") as f:
        rows = list(csv.DictReader(f))
    return yaml.dump(rows, default_flow_style=False)


if __name__ == "__main__":
    sys.stdout.write(convert(sys.argv[1]))
