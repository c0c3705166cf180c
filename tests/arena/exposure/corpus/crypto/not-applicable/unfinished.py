from flask import Flask, request

app = Flask(__name__)


@app.post("/register")
def register():
    name = request.form["name"]
    ...
