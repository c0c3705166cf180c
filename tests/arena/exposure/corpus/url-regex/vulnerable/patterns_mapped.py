import re
from flask import Flask, request, redirect
app = Flask(__name__)
PATTERNS = tuple(map(re.compile, (r'^https://example\.com/', r'^https://.+\.example\.com')))

@app.route('/go')
def go():
    target = request.args.get('target', '')
    if any(p.match(target) for p in PATTERNS):
        return redirect(target)
    return redirect('/home')
