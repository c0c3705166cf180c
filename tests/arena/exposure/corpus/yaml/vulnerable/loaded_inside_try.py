from flask import *
import yaml, sys, os

app = Flask(__name__)


@app.route("/api/temperature_at")
def temperature_at():
    p = request.args.get("payload", None)
    if p is None:
        return "no payload", 400
    try:
        d = yaml.load(p)
        lat, lon = d["lat"], d["lon"]
    except Exception as e:
        return "bad: {}".format(e), 400
    db = get_db_connection()
    cur = db.cursor()
    cur.execute("SELECT t FROM temperatures WHERE lat=%s AND lon=%s", (lat, lon))
    return str(cur.fetchone()[0])
