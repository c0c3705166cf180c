import re
import pymysql
from flask import Flask, request, abort

app = Flask(__name__)
EMAIL_RE = re.compile(r"^[^@]+@[^@]+\.[^@]+$")


@app.route("/unsubscribe")
def unsubscribe():
    email = request.args.get("email", "").strip().lower()
    if not EMAIL_RE.match(email):
        abort(400, "invalid email")
    conn = pymysql.connect(db="news")
    with conn:
        with conn.cursor() as cur:
            cur.execute(f"DELETE FROM subscribers WHERE email = '{email}'")
        conn.commit()
    return "bye"
