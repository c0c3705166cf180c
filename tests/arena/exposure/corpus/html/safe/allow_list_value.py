from flask import Flask, abort, request

app = Flask(__name__)


@app.route("/theme")
def theme():
    colour = request.args.get("colour")
    if colour not in ("red", "green", "blue"):
        abort(400)
    return '<body style="background: ' + colour + '">themed</body>'
