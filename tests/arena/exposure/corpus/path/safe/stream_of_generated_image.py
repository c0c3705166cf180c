import io
from flask import Flask, request, send_file

app = Flask(__name__)


@app.route("/img")
def img():
    label = request.args.get("label", "")
    picture = "<svg xmlns='http://www.w3.org/2000/svg'><text>%d</text></svg>" % len(label)
    with open("count.txt", "a") as log:
        log.write("x")
    return send_file(io.BytesIO((picture + label).encode()), mimetype="text/plain")
