import csv
import io
from flask import Flask, request

app = Flask(__name__)


@app.post("/sum")
def total():
    text = request.files["table"].read().decode("utf-8")
    return str(sum(float(row[0]) for row in csv.reader(io.StringIO(text))))
