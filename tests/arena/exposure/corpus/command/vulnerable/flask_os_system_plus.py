from flask import Flask, request
import os

app = Flask(__name__)


@app.route("/ping")
def ping():
    host = request.args.get("host")
    status = os.system("ping -c 1 " + host)
    if status == 0:
        return "reachable"
    return "unreachable"


if __name__ == "__main__":
    app.run(debug=True)
