import pymysql


class Store(object):
    SQL = """INSERT INTO orders (stock, quantity, buyer)
             VALUES (%(stock)s, %(quantity)s, %(buyer)s)"""

    def __init__(self, connection=None):
        self.connection = connection or pymysql.connect(host="db", user="shop")

    def order(self, stock, quantity, buyer):
        values = {"stock": stock, "quantity": quantity, "buyer": buyer}
        with self.connection.cursor() as cursor:
            cursor.execute(self.SQL, values)
        self.connection.commit()
        print("ordered %s of %s for %s" % (quantity, stock, buyer))
