from flask import Flask, request, redirect
import os

app = Flask(__name__)


@app.route("/img")
def img():
    file_name = request.args.get("file_name")
    return redirect(os.path.join("images", file_name), code=301)
