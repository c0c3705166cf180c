import psycopg2
from flask import Flask, request, jsonify

app = Flask(__name__)


@app.route("/people")
def people():
    conditions = []
    for field in ("name", "town"):
        value = request.args.get(field)
        if value:
            conditions.append(field + " = '" + value + "'")
    sql = "SELECT * FROM people"
    if conditions:
        sql += " WHERE " + " AND ".join(conditions)
    sql += " LIMIT 50;"
    conn = psycopg2.connect("")
    cur = conn.cursor()
    cur.execute(sql)
    return jsonify(cur.fetchall())
