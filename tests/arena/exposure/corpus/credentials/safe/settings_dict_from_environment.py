import os
import mysql.connector

settings = {
    "host": os.getenv("MYSQL_HOST", "127.0.0.1"),
    "user": os.getenv("MYSQL_USER", "root"),
    "password": os.getenv("MYSQL_PASSWORD"),
    "database": os.getenv("MYSQL_DATABASE", "test"),
}


def get_db_connection():
    try:
        return mysql.connector.connect(**settings)
    except mysql.connector.Error as err:
        print("Something went wrong: {}".format(err))
        raise
