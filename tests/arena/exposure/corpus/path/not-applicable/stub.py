from flask import Flask, request

app = Flask(__name__)


@app.route("/img")
def img():
    file = request.args.get("file")
    # TODO open the file and send it
    pass
