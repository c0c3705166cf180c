import psycopg2
from psycopg2 import sql


def newest(table, column):
    """The newest row of a table that the caller names."""
    conn = psycopg2.connect("dbname=logs")
    query = sql.SQL("SELECT {field} FROM {table} ORDER BY id DESC LIMIT 1").format(
        field=sql.Identifier(column),
        table=sql.Identifier(table),
    )
    with conn.cursor() as cur:
        cur.execute(query)
        return cur.fetchone()
