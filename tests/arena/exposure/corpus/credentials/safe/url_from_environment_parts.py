import os
from sqlalchemy import create_engine
from urllib.parse import quote_plus as q

USER = os.environ["DB_USER"]
PASSWORD = os.environ["DB_PASSWORD"]
URL = "postgresql://{}:{}@{}/shop".format(q(USER), q(PASSWORD), "localhost")

engine = create_engine(URL)


def get_db_connection():
    return engine.connect()
