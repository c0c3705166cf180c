from flask import Flask, request, make_response

app = Flask(__name__)


@app.route("/moved")
def moved():
    where = request.args.get("where")
    if where and "www.example.com" in where:
        resp = make_response("", 302)
        resp.headers["Location"] = where
        return resp
    return "not found", 404
