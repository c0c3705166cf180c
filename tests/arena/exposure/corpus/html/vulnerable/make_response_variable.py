from flask import Flask, make_response, request

app = Flask(__name__)


@app.route("/profile")
def profile():
    nick = request.cookies.get("nick") or request.args.get("nick")
    body = "<p>Signed in as <b>" + nick + "</b></p>"
    response = make_response(body, 200)
    response.headers["Cache-Control"] = "no-store"
    return response
