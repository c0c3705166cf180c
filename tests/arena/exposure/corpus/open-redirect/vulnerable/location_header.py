from flask import Flask, Response, request

app = Flask(__name__)


@app.route("/moved", methods=["GET"])
def moved():
    target = request.args.get("target")
    return Response(status=302, headers={"Location": target})
