from flask import Flask

app = Flask(__name__)


@app.route("/img/<path:filename>")
def img(filename):
    path = "./images/%s" % filename
    f = open(path, "rb")
    content = f.read()
    f.close()
    return content
