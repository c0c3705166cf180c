from flask import Flask, request

app = Flask(__name__)


{task}
@app.route("/check_mod")
def check_mod():
    username = request.args.get("username", "")
    password = request.args.get("password", "")
