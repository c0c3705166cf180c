from flask import Flask
import MySQLdb
import logging

log = logging.getLogger(__name__)


class Database:
    def __init__(self):
        self.host = "localhost"
        self.user = "root"
        self.password = "mysql"
        self.name = "forum"
        self.handle = None

    def open(self):
        if self.handle is None:
            log.info("connecting as %s", self.user)
            self.handle = MySQLdb.connect(self.host, self.user, self.password, self.name)
        return self.handle


def get_db_connection():
    return Database().open()
