from flask import Flask, request

app = Flask(__name__)
KNOWN = ("logo.png", "banner.png", "footer.gif")


@app.route("/img")
def img():
    name = request.args.get("name")
    if name in KNOWN:
        return open("images/%s" % name, "rb").read()
    return "unknown image", 404
