from flask import Flask, request, redirect
import MySQLdb

app = Flask(__name__)


def connection():
    return MySQLdb.connect("localhost", "shop", "sh0p", "shop")
