import psycopg2 as pg


def connect():
    dsn = "host=localhost dbname=wiki user=wiki password=%s" % ("wikiwiki",)
    try:
        return pg.connect(dsn)
    except pg.OperationalError as e:
        print("cannot connect: %s" % e)
        return None
