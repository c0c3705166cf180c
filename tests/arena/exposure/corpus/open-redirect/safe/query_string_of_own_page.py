from urllib.parse import quote, urlencode
from flask import Flask, redirect, request

app = Flask(__name__)


@app.route("/search", methods=["POST"])
def search():
    words = request.form.get("words", "")
    return redirect("/results?" + urlencode({"q": words}))
