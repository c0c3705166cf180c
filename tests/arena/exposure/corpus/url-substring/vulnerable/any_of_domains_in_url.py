from flask import Flask, redirect, request

app = Flask(__name__)
DOMAINS = ["example.com", "example.org"]


@app.route("/partners")
def partners():
    to = request.args.get("to", "")
    if any(domain in to for domain in DOMAINS):
        return redirect(to)
    return redirect("/")
