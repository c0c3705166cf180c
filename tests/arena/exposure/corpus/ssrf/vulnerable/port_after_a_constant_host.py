from flask import Flask, request
import requests

app = Flask(__name__)


@app.get("/health")
def health():
    # "1@evil.example" is a port as well
    port = request.args.get("port", "80")
    return requests.get(f"http://localhost:{port}/health").text
