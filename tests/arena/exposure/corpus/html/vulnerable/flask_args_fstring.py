from flask import Flask, request
import sqlite3, subprocess, requests

app = Flask(__name__)


@app.route("/")
def index():
    return "<p>It works</p>"


@app.route("/hi")
def hi():
    visitor = request.args.get("visitor", "stranger")
    return f"<html><body>Hi {visitor}</body></html>"
