from flask import Flask, request
app = Flask(__name__)
names = ["m1", "m2"]; passwords = ["aaa111!!!", "bbb222!!!"]
@app.route("/check_mod")
def check_mod():
    u = request.args.get("username"); p = request.args.get("password")
    for n, w in zip(names, passwords):
        if n == u and w == p:
            return "1"
    return "0"
