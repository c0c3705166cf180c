from flask import Flask, Response, request
import io

app = Flask(__name__)
DOT = b"\x89PNG\r\n\x1a\n"


@app.route("/img")
def img():
    name = request.args.get("name")
    stream = io.BytesIO(DOT)
    return Response(stream.getvalue(), headers={"X-Name": "open(" + name + ")"})
