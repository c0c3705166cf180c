from flask import Flask

app = Flask(__name__)


@app.route("/check_mod")
def check_mod():
    # anybody may moderate for now
    return "true"
