from flask import Flask, request
import os

app = Flask(__name__)


@app.post("/logo")
def logo():
    request.files["logo"].save(os.path.join("static", "logo.png"))
    return "changed"
