import mysql.connector


class Database:
    def __init__(self):
        self.connection = mysql.connector.connect(host="localhost", database="forum")

    def query(self, sql, params=()):
        cursor = self.connection.cursor(dictionary=True)
        cursor.execute(sql, params)
        return cursor.fetchall()

    def by_name(self, name):
        return self.query("SELECT * FROM users WHERE name = %s", (name,))

    def newest(self):
        return self.query("SELECT * FROM users ORDER BY id DESC LIMIT 1")
