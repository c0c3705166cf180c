import os
import MySQLdb
from flask import Flask, request, session, render_template_string
app = Flask(__name__)

QUERIES = {
    'buy': 'INSERT INTO orders (username, stock, quantity) VALUES (%s, %s, %s)',
    'list': 'SELECT stock, quantity FROM orders WHERE username = %s',
}


def run(name, *params):
    db = MySQLdb.connect(host=os.environ['DB_HOST'], db='market')
    c = db.cursor()
    c.execute(QUERIES[name], params)
    db.commit()
    return c.fetchall()


@app.route('/buy', methods=['POST'])
def buy():
    run('buy', session['username'], request.form['stock'], request.form['quantity'])
    rows = run('list', session['username'])
    return '<br>'.join('%s: %s' % r for r in rows)
