from flask import Flask, jsonify, request

app = Flask(__name__)


@app.route("/api/hello")
def hello():
    name = request.args.get("name", "world")
    return jsonify(message="Hello " + name)


@app.route("/api/echo", methods=["POST"])
def echo():
    return {"echo": request.get_json()["text"]}
