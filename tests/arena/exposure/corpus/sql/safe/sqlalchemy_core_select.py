from sqlalchemy import MetaData, Table, create_engine, select, insert
from flask import Flask, request

app = Flask(__name__)
engine = create_engine("sqlite:///w.db")
meta = MetaData()
words = Table("words", meta, autoload_with=engine)


@app.route("/word", methods=["GET", "POST"])
def word():
    value = request.values["value"]
    with engine.begin() as conn:
        if request.method == "POST":
            conn.execute(insert(words).values(value=value))
            return "added"
        row = conn.execute(select(words).where(words.c.value == value)).first()
    return "yes" if row else "no"
