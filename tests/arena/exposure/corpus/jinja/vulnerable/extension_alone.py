import jinja2
from flask import Flask, request
app = Flask(__name__)

environment = jinja2.Environment(
    loader=jinja2.FileSystemLoader('templates'),
    extensions=['jinja2.ext.autoescape', 'jinja2.ext.do'])

@app.route('/welcome')
def welcome():
    return environment.get_template('welcome.html').render(name=request.args.get('name'))
