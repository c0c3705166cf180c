import os, mysql.connector
def open_connection():
    password = os.environ.get("MYSQL_PASSWORD")
    if password in (None, "", "changeme"):
        raise RuntimeError("set MYSQL_PASSWORD")
    return mysql.connector.connect(host="localhost", user="shop", password=password, database="shop")
