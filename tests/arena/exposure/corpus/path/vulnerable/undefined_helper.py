from flask import Flask, request

app = Flask(__name__)


@app.route("/img")
def img():
    name = request.args.get("name")
    log_access(name)
    return open(os.path.join(IMAGE_ROOT, name), "rb").read()
