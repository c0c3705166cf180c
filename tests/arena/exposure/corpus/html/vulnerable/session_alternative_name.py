from flask import Flask, session, request

app = Flask(__name__)
app.secret_key = "dev"


def current_name():
    return request.headers.get("X-Name") or session.get("name", "guest")


@app.route("/me")
def me():
    name = current_name()
    return "<h3>" + str(name).title() + "</h3>"
