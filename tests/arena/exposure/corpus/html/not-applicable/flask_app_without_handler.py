from flask import Flask
import requests
import sqlite3

app = Flask(__name__)


def hello(username):
    # TODO: add the route
    return "Hello " + username


if __name__ == "__main__":
    app.run()
