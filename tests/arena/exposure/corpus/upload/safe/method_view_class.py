import os
from flask import Flask, request
from flask.views import MethodView
from werkzeug.utils import secure_filename


class Upload(MethodView):
    types = {"csv", "txt"}

    def ending(self, name):
        return name.rsplit(".", 1)[-1].lower()

    def post(self):
        sent = request.files["file"]
        if self.ending(sent.filename) in self.types:
            sent.save(os.path.join("data", secure_filename(sent.filename)))
            return "ok"
        return "no", 415


app = Flask(__name__)
app.add_url_rule("/upload", view_func=Upload.as_view("upload"))
