from flask import Flask, request, send_file

app = Flask(__name__)


@app.route("/img")
def img():
    wanted = request.args.get("file")
    return send_file("images/{0}".format(wanted), download_name="image.png")
