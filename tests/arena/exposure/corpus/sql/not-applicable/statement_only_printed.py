import argparse

parser = argparse.ArgumentParser(description="print a statement for the administrator")
parser.add_argument("table")
parser.add_argument("--limit", type=int, default=10)


def main():
    args = parser.parse_args()
    statement = "SELECT * FROM %s LIMIT %d" % (args.table, args.limit)
    print(statement)


if __name__ == "__main__":
    main()
