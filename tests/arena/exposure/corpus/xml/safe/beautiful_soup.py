from bs4 import BeautifulSoup
from flask import Flask, request

app = Flask(__name__)


@app.post("/items")
def items():
    soup = BeautifulSoup(request.data, "html.parser")
    return {"items": [one.text for one in soup.find_all("item")]}
