import psycopg2
from psycopg2.extras import RealDictCursor
from flask import Flask, request, jsonify

app = Flask(__name__)


@app.route("/people")
def people():
    conditions = []
    values = []
    if request.args.get("name"):
        conditions.append("name = %s")
        values.append(request.args["name"])
    if request.args.get("town"):
        conditions.append("town = %s")
        values.append(request.args["town"])
    sql = "SELECT * FROM people"
    if conditions:
        sql += " WHERE " + " AND ".join(conditions)
    with psycopg2.connect("") as conn:
        with conn.cursor(cursor_factory=RealDictCursor) as cur:
            cur.execute(sql, tuple(values))
            return jsonify(cur.fetchall())
