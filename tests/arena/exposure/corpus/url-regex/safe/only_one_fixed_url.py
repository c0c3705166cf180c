import re
from flask import Flask, request, redirect

app = Flask(__name__)


@app.route("/docs")
def docs():
    page = request.args.get("page")
    if re.match(r"^https:\/\/docs\.example\.com\/[a-z/]+$", page):
        return redirect(page)
    return redirect("https://docs.example.com/")
