from flask import Flask, redirect, request

app = Flask(__name__)


@app.before_request
def only_https():
    if not request.is_secure:
        return redirect(request.url.replace("http://", "https://", 1), code=301)
