import MySQLdb
from flask import Flask, request

app = Flask(__name__)


@app.route("/find")
def find():
    name = request.args.get("name")
    db = MySQLdb.connect(host="localhost", user="web", passwd="", db="people")
    cursor = db.cursor()
    name = db.escape_string(name)
    cursor.execute("SELECT phone FROM people WHERE name = '%s'" % name)
    result = cursor.fetchone()
    return result[0] if result else "nobody"
