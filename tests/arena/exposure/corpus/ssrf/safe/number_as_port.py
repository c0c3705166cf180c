from flask import Flask, request
import requests

app = Flask(__name__)


@app.get("/health")
def health():
    port = int(request.args.get("port", "80"))
    return requests.get(f"http://localhost:{port}/health").text
