import os
import MySQLdb


def get_db_connection():
    try:
        word = os.environ["DB_PASSWORD"]
    except KeyError:
        word = "forum"
    return MySQLdb.connect(host="localhost", user="forum", passwd=word)
