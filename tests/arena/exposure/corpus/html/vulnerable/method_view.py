from flask import Flask, request
from flask.views import MethodView

app = Flask(__name__)


class Greeting(MethodView):
    methods = ["GET", "POST"]

    def get(self):
        return "<form method=post><input name=who></form>"

    def post(self):
        who = request.form.get("who", "").strip()
        return "<p>Nice to meet you, {0}.</p>".format(who), 201


app.add_url_rule("/greeting", view_func=Greeting.as_view("greeting"))
