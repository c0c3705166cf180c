from flask import Flask, request, Response

app = Flask(__name__)


def clean(name):
    # remove traversal
    return name.replace("../", "")


@app.route("/img")
def img():
    name = clean(request.args.get("name"))
    with open("images/" + name, "rb") as source:
        return Response(source.read(), mimetype="image/png")
