import mysql.connector


def get_database():
    """Open a connection to the stock database."""
    db = mysql.connector.connect(
        host="localhost",
        user="yourusername",
        password="yourpassword",
        database="stock",
    )
    return db
