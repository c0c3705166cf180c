import re
from flask import Flask, request, redirect

app = Flask(__name__)
app.config["DOMAIN"] = "example.com"
EXPR = "^https?://(?:[\\w-]+\\.)?%s(/|$)" % re.escape("example.com")


@app.route("/r")
def r():
    t = request.args.get("t") or "/"
    if re.compile(EXPR).match(t):
        return redirect(t)
    else:
        return redirect("/")


if __name__ == "__main__":
    app.run()
