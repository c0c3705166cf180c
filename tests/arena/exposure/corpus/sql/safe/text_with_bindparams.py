from sqlalchemy import create_engine, text
from flask import Flask, request

app = Flask(__name__)
engine = create_engine("postgresql:///club")


@app.route("/member")
def member():
    name = request.args.get("name")
    query = text("SELECT id FROM members WHERE name = :name").bindparams(name=name)
    with engine.begin() as conn:
        row = conn.execute(query).first()
        conn.execute(text("INSERT INTO log (what) VALUES (:what)"), {"what": f"looked for {name}"})
    return str(row.id) if row else ("none", 404)
