from flask import Flask
from flask_sqlalchemy import SQLAlchemy

USER = "blog"
PASSWORD = "blog-db-pass"
HOST = "localhost"

app = Flask(__name__)
app.config["SQLALCHEMY_DATABASE_URI"] = f"mysql://{USER}:{PASSWORD}@{HOST}/blog"
app.config["SQLALCHEMY_TRACK_MODIFICATIONS"] = False
db = SQLAlchemy(app)


def get_connection():
    return db.engine.connect()
