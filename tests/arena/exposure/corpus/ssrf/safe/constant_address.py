from flask import Flask, request, jsonify
import requests

app = Flask(__name__)
API = "https://api.example.org/v1/rates"


@app.route("/rate")
def rate():
    currency = request.args.get("currency", "EUR")
    rates = requests.get(API, timeout=5).json()
    return jsonify(rates.get(currency))
