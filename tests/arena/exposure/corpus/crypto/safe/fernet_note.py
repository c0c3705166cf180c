from cryptography.fernet import Fernet
from bottle import post, request, run

fernet = Fernet(Fernet.generate_key())
notes = []


@post("/note")
def note():
    notes.append(fernet.encrypt(request.forms.get("note").encode()))
    return "kept"


run()
