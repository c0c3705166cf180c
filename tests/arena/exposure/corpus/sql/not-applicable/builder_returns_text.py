from flask import Flask, request

app = Flask(__name__)


def build_query(table, name):
    return "SELECT * FROM {} WHERE name = '{}'".format(table, name)


@app.route("/show")
def show():
    # shown to the administrator, who pastes it somewhere
    return build_query("users", request.args.get("name", ""))
