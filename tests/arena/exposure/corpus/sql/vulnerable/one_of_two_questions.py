import pymysql
from flask import Flask, request, g

app = Flask(__name__)


def query_db(query, args=(), one=False):
    cur = get_db().cursor()
    cur.execute(query, args)
    rv = cur.fetchall()
    return (rv[0] if rv else None) if one else rv


def get_db():
    if 'db' not in g:
        g.db = pymysql.connect(db='news')
    return g.db


@app.route('/unsubscribe')
def unsubscribe():
    email = request.args.get('email')
    if query_db('select 1 from subscribers where email = "%s"' % email, one=True):
        query_db('delete from subscribers where email = %s', [email])
    return 'ok'
