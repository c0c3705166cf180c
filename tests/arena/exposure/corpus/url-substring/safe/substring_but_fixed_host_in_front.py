from flask import Flask, redirect
app = Flask(__name__)
@app.route('/redirect/<path:url>')
def r(url):
    if 'example.com' in url:
        return redirect('https://example.com/' + url.split('example.com', 1)[1])
    return 'not allowed'
