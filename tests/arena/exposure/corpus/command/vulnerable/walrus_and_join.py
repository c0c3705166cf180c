import subprocess
from flask import Flask, request, render_template

app = Flask(__name__)


@app.route("/", methods=["GET", "POST"])
def index():
    output = None
    if request.method == "POST" and (host := request.form.get("host")):
        parts = ["ping", "-c", "1"]
        parts.append(host)
        output = subprocess.run(" ".join(parts), shell=True, capture_output=True).stdout
    return render_template("index.html", output=output)
