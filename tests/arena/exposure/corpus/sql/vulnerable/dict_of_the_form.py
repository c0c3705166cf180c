from flask import Flask, request
from flask_sqlalchemy import SQLAlchemy

app = Flask(__name__)
db = SQLAlchemy(app)


@app.post("/message")
def message():
    data = request.form.to_dict()
    data["body"] = data["body"].strip()
    db.session.execute(
        "INSERT INTO messages (author, body) VALUES ('%(author)s', '%(body)s')" % data
    )
    db.session.commit()
    return "saved"
