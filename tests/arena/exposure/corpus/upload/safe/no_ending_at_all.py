import hashlib
from flask import Flask, request

app = Flask(__name__)


@app.post("/blob")
def blob():
    data = request.files["blob"].read()
    name = hashlib.sha256(data).hexdigest()
    with open("blobs/" + name, "wb") as out:
        out.write(data)
    return name
