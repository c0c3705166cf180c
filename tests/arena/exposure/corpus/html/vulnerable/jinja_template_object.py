from flask import Flask
from jinja2 import Template
app = Flask(__name__)
tpl = Template('<h2>Hi {{ name }}!</h2>')
@app.route('/hello/<username>')
def hello(username): return tpl.render(name=username)
