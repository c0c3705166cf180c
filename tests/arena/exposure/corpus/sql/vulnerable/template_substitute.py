from string import Template
from flask import Flask, request
import psycopg2 as pg

app = Flask(__name__)
FIND = Template("SELECT price FROM stock WHERE code = '$code'")


@app.get("/price")
def price():
    sql = FIND.substitute(code=request.args["code"])
    with pg.connect("dbname=stock") as conn, conn.cursor() as cur:
        cur.execute(sql)
        (value,) = cur.fetchone()
    return str(value)
