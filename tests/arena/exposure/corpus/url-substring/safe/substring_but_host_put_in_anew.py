from urllib.parse import urlparse, urlunparse
from flask import Flask, redirect

app = Flask(__name__)


@app.route('/redirect/<path:url>')
def redirect_route(url):
    if 'example.com' not in url:
        return 'not allowed'
    parts = urlparse(url)
    # never leave our own host
    return redirect(urlunparse(('https', 'example.com', parts.path, '', parts.query, '')))
