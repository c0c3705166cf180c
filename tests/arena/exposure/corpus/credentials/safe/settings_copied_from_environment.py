import os
from flask import Flask, request
from flask_mysqldb import MySQL
app = Flask(__name__)
for key in ("MYSQL_HOST", "MYSQL_USER", "MYSQL_PASSWORD", "MYSQL_DB"):
    app.config[key] = os.environ[key.replace("MYSQL", "DB")]
mysql = MySQL(app)
@app.route("/check_mod")
def check_mod():
    cur = mysql.connection.cursor()
    cur.execute("SELECT COUNT(*) FROM moderators WHERE username = %s AND password = %s", (request.args.get("username"), request.args.get("password")))
    (n,) = cur.fetchone()
    return "true" if n == 1 else "false"
