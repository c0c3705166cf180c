from flask import Flask, request, url_for

app = Flask(__name__)


@app.route("/where")
def where():
    return url_for("where", page=request.args.get("page"))


if __name__ == "__main__":
    app.run(port=5000)
