from collections import namedtuple
from flask import Flask, request, jsonify
Mod = namedtuple("Mod", "username password")
app = Flask(__name__)
mods = [Mod("joe", "bl0ggsPass")]
@app.get("/check_mod")
def check_mod():
    for mod in mods:
        if request.args.get("username") == mod.username and request.args.get("password") == mod.password:
            return jsonify(True)
    return jsonify(False)
