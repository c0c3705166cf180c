from flask import Flask, request, redirect

app = Flask(__name__)


# re.match(r"https://example.com", url) would be a check, but nothing calls it
@app.route("/go")
def go():
    return redirect(request.args.get("url", "/"))
