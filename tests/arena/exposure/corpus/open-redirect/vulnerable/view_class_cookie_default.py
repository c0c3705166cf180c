from flask import Flask, redirect, request
from flask.views import MethodView

app = Flask(__name__)


class Language(MethodView):
    def post(self):
        lang = request.form.get("lang", "en")
        back = request.form.get("back", default="/")
        resp = redirect(back)
        resp.set_cookie("lang", lang)
        return resp


app.add_url_rule("/language", view_func=Language.as_view("language"))
