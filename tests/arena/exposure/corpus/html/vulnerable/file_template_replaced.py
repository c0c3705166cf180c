import os
from flask import Flask, make_response
app = Flask(__name__)
HERE = os.path.dirname(os.path.abspath(__file__))

@app.route('/hello/<username>')
def hello(username):
  with open(os.path.join(HERE, 'hello.html')) as f:
    text = f.read()
  text = text.replace('{{username}}', username)
  resp = make_response(text)
  resp.headers['Content-Type'] = 'text/html; charset=utf-8'
  return resp
