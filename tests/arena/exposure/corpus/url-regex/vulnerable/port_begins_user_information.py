import re
from flask import Flask, redirect, request

app = Flask(__name__)
allowed_url_regex = re.compile(r'^https?://(?:[\w\-]+\.)*example\.com(?=[/:?#]|$)')


def get_redirect_target():
    """Reads the target from the query string and validates it."""
    target = request.args.get('target', '')
    if allowed_url_regex.match(target):
        return target
    return '/home'


@app.route('/go')
def go():
    return redirect(get_redirect_target())
