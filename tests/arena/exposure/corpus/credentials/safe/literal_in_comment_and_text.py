# password = "old-secret"   removed, see the vault
import os
import MySQLdb

MESSAGE = 'connect with password="..." on the command line, or set DB_PASSWORD'


def get_db_connection():
    password = os.environ.get("DB_PASSWORD")
    if password is None:
        raise RuntimeError(MESSAGE)
    # db = MySQLdb.connect(host="localhost", user="root", passwd="root")
    return MySQLdb.connect(host="localhost", user="app", passwd=password, db="app")
