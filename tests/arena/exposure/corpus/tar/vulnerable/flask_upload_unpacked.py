import io, tarfile
from flask import Flask, request

app = Flask(__name__)


@app.route("/upload", methods=["POST"])
def upload():
    raw = request.files["archive"].read()
    tar = tarfile.open(fileobj=io.BytesIO(raw))
    tar.extractall("/tmp/unpack")
    names = [m.name for m in tar.getmembers()]
    return {"unpacked": names}
