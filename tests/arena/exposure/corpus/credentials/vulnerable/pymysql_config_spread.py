import pymysql
import pymysql.cursors

DB_CONFIG = {
    "host": "127.0.0.1",
    "user": "root",
    "passwd": "toor",
    "db": "library",
    "cursorclass": pymysql.cursors.DictCursor,
}


class Library:
    def __init__(self):
        self.conn = pymysql.connect(**DB_CONFIG)

    def close(self):
        self.conn.close()
