from flask import Flask, request
app = Flask(__name__)
MOD = "admin:swordfish99"
@app.route("/check_mod")
def check_mod():
    u, p = MOD.split(":")
    return str(request.args.get("username") == u and request.args.get("password") == p)
