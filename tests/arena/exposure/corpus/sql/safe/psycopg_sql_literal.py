import psycopg2
from psycopg2 import sql
from flask import Flask, request, jsonify

app = Flask(__name__)


@app.get("/prices")
def prices():
    query = sql.SQL("SELECT price FROM stock WHERE code = {}").format(
        sql.Literal(request.args.get("code"))
    )
    with psycopg2.connect("dbname=stock") as conn, conn.cursor() as cur:
        cur.execute(query)
        return jsonify(cur.fetchall())
