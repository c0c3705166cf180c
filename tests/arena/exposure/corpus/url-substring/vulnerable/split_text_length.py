from flask import Flask, redirect

app = Flask(__name__)


@app.route("/redirect/<url>")
def redirect_away(url):
    if len(url.split("example.com")) > 1:
        return redirect(url)
    return "Sorry"


# half of the tests are still missing
def test_redirect():
    pass
