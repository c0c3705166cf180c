from flask import Flask
app = Flask(__name__)
KNOWN = ["ann", "bob"]

@app.route("/hello/<username>")
def hello(username):
    if username in KNOWN:
        text = f"<h1>Hello {username}</h1>"
    else:
        text = "<h1>Hello stranger</h1>"
    return text
