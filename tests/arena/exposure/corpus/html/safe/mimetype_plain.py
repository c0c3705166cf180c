from flask import Flask, Response, request

app = Flask(__name__)


@app.route("/hello.txt")
def hello():
    name = request.args.get("name", "world")
    return Response("Hello " + name + "\n", mimetype="text/plain")
