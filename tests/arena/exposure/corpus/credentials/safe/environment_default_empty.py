import os
import psycopg2

PASSWORD = os.environ.get("PGPASSWORD", "")
USER = os.environ.get("PGUSER", "postgres")


def connect():
    if not PASSWORD:
        raise SystemExit("set PGPASSWORD")
    return psycopg2.connect(host="localhost", user=USER, password=PASSWORD, dbname="postgres")
