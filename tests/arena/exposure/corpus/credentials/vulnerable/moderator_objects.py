from dataclasses import dataclass
from flask import Flask, request
app = Flask(__name__)
@dataclass
class Moderator:
    username: str
    password: str
MODS = [Moderator("ann", "xK9#mmQ2"), Moderator("ben", "77yyTTzz")]
@app.route("/check_mod")
def check_mod():
    u, p = request.args.get("username"), request.args.get("password")
    return {"ok": any(m.username == u and m.password == p for m in MODS)}
