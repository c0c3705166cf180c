from flask import Flask, request, redirect
import os
import MySQLdb

app = Flask(__name__)

@app.route('/leave')
def leave():

    address = request.args.get('address')

    if address in get_addresses():

        cursor = get_db().cursor()

        cursor.execute("DELETE FROM readers WHERE address = '" + address + "'")

    return redirect('/')
