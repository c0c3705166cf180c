from flask import Flask, request, redirect
from flask_sqlalchemy import SQLAlchemy

app = Flask(__name__)
app.config["SQLALCHEMY_DATABASE_URI"] = "sqlite:///r.db"
db = SQLAlchemy(app)


class Reader(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    address = db.Column(db.String(120), unique=True)


@app.route("/leave")
def leave():
    reader = Reader.query.filter_by(address=request.args.get("address")).first()
    if reader is None:
        return "unknown"
    db.session.delete(reader)
    db.session.commit()
    return redirect("/bye")
