import configparser
import mysql.connector

config = configparser.ConfigParser()
config.read("database.ini")


def get_connection():
    section = config["mysql"]
    return mysql.connector.connect(
        host=section.get("host", "localhost"),
        user=section["user"],
        password=section["password"],
        database=section["database"],
    )
