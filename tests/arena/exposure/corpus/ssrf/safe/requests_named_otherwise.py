from flask import Flask, request, session
import requests
from mycompany import settings

app = Flask(__name__)


@app.route("/orders")
def orders():
    page = int(request.args.get("page", 1))
    answer = requests.get(
        settings.BACKEND + "/orders?page=%d" % page, headers={"X-User": session["user"]}
    )
    # requests.get(request.args["url"]) is what we must not do
    return answer.text
