from flask import Flask, request, redirect
import os

app = Flask(__name__, static_folder="images")


@app.route("/img")
def img():
    file = request.args.get("file")
    if file is None:
        return redirect("/")
    return app.send_static_file(file)
