import mysql.connector


class Database:
    def __init__(self, host, user):
        self.connection = mysql.connector.connect(host=host, user=user, database="forum")
        self.cursor = self.connection.cursor()

    def run(self, sql):
        self.cursor.execute(sql)
        self.connection.commit()

    def add_post(self, author, body):
        self.run("INSERT INTO posts (author, body) VALUES ('" + author + "', '" + body + "')")

    def close(self):
        self.cursor.close()
        self.connection.close()


if __name__ == "__main__":
    db = Database("localhost", "forum")
    db.add_post("ann", "hello")
    db.close()
