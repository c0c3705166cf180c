import uuid
from flask import Flask, request

app = Flask(__name__)


@app.post("/upload")
def upload():
    name = f"{uuid.uuid4()}.png"
    request.files["file"].save("static/avatars/" + name)
    return {"name": name}
