import argparse
import psycopg2 as pg

parser = argparse.ArgumentParser()
parser.add_argument("--user", default="postgres")
parser.add_argument("--password", default="postgres", help="the database's password")
args = parser.parse_args()
connection = pg.connect(host="localhost", user=args.user, password=args.password)
