import re
from flask import Flask, request, redirect
app = Flask(__name__)
HOST = re.compile(r'^https?://([^/?#\\@:]+)(?:[/?#]|$)')

@app.route('/go')
def go():
    target = request.args.get('target', '')
    m = HOST.match(target)
    if m and re.fullmatch(r'(www\.)?example\.com', m.group(1)):
        return redirect(target)
    return redirect('/home')
