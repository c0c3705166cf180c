import getpass
import pymysql


def open_db():
    # the account's name is no secret
    return pymysql.connect(
        host="localhost", user="root", password=getpass.getpass("root's password: ")
    )
