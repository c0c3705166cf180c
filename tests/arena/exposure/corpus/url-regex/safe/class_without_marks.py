import re
from flask import Flask, request, redirect
from flask.views import View

app = Flask(__name__)


class Go(View):
    methods = ["GET"]
    pattern = re.compile(r"^https?://(?:[^/?#@\\:]+\.)?example\.com(?:/|$)")

    def dispatch_request(self):
        target = request.args.get("target", "")
        if self.pattern.match(target):
            return redirect(target)
        return redirect("/home")


app.add_url_rule("/go", view_func=Go.as_view("go"))
