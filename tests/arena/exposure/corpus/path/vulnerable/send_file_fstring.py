from flask import Flask, request, send_file
import os, sys

app = Flask(__name__)


# serves a picture, the name is a GET variable
@app.route("/picture")
def picture():
    name = request.args["name"]
    return send_file(f"pictures/{name}", mimetype="image/jpeg")


if __name__ == "__main__":
    app.run(debug=True)
