from flask import Flask, request, session, redirect
from flask_mysqldb import MySQL

app = Flask(__name__)
app.secret_key = 'dev'
mysql = MySQL(app)

def save_message(username, message):
    cur = mysql.connection.cursor()
    cur.execute('INSERT INTO messages (username, message) VALUES ({!r}, {!r})'.format(username, message))
    mysql.connection.commit()
    cur.close()

@app.route('/post', methods=['POST'])
def post():
    save_message(session['username'], request.form['message'])
    return redirect('/')
