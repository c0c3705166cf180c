import argparse
import psycopg2


def connect(host, user, password, name="postgres"):
    return psycopg2.connect(host=host, user=user, password=password, dbname=name)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", default="localhost")
    parser.add_argument("--user", default="postgres")
    parser.add_argument("--password", required=True, help="the database's password")
    args = parser.parse_args()
    connect(args.host, args.user, args.password)


main()
