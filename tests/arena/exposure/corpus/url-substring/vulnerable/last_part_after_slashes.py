from flask import Flask, redirect, request

app = Flask(__name__)


def domain_of(address):
    return address.split("//")[-1].split("/")[0]


@app.route("/visit")
def visit():
    address = request.args.get("address", "")
    if domain_of(address).endswith("example.com"):
        return redirect(address)
    return "Unknown domain"
