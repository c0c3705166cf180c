from psycopg2 import sql, connect
from bottle import get, request


@get("/rows")
def rows():
    where = sql.SQL(request.query.get("where", "true"))
    query = sql.SQL("SELECT * FROM rows WHERE {}").format(where)
    with connect("dbname=rows") as conn:
        with conn.cursor() as cur:
            cur.execute(query)
            return {"rows": cur.fetchall()}
