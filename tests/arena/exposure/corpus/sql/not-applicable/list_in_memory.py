from flask import Flask, request

app = Flask(__name__)
readers = ["a@example.org", "b@example.org"]


@app.route("/leave")
def leave():
    address = request.args.get("address")
    if address in readers:
        readers.remove(address)
        return "You are off the list, " + address
    return "You were not on the list"
