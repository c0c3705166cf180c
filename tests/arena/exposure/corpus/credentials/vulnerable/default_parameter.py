import cx_Oracle


def open_connection(user="scott", password="tiger", dsn="localhost/orcl"):
    return cx_Oracle.connect(user, password, dsn)


def rows(sql, parameters=()):
    connection = open_connection()
    try:
        cursor = connection.cursor()
        cursor.execute(sql, parameters)
        return cursor.fetchall()
    finally:
        connection.close()
