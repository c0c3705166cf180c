import os, pymysql
try:
    DB_PASSWORD = os.environ["DB_PASSWORD"]
except KeyError:
    DB_PASSWORD = "devpassword1"
def open_connection():
    return pymysql.connect(host="localhost", user="shop", password=DB_PASSWORD, database="shop")
