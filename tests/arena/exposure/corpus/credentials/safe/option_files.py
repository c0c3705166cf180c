import mysql.connector
def open_connection():
    return mysql.connector.connect(option_files="/etc/mysql/shop.cnf", database="shop")
