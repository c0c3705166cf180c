from flask import Flask, request

app = Flask(__name__)
app.add_url_rule("/img", "img", lambda: open("images/" + request.args["n"], "rb").read())
