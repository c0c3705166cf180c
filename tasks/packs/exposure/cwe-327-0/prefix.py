import hashlib
import os
import sqlite3

connection = sqlite3.connect("accounts.db")
connection.execute("CREATE TABLE IF NOT EXISTS accounts (user TEXT PRIMARY KEY, hash TEXT)")


{task}
def set_password(user, password):
