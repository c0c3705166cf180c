import os

import MySQLdb


{task}
def open_connection():
