from flask import Flask, request
from sqlalchemy.orm import sessionmaker
from models import Subscriber, engine

app = Flask(__name__)
Session = sessionmaker(bind=engine)


@app.route("/unsubscribe")
def unsubscribe():
    mail = request.args.get("mail")
    session = Session()
    found = session.query(Subscriber).filter(Subscriber.mail == mail).one_or_none()
    if found:
        session.delete(found)
        session.commit()
        return "done: %s" % mail
    return "not found"
