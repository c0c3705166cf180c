import os


def get_db_connection():
    pass


# TODO: connect with password="root"
