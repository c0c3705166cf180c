from flask import Flask, request, make_response
from flask.views import MethodView
from PIL import Image
import io

app = Flask(__name__)


class Picture(MethodView):
    def get(self):
        name = request.args.get("name", default="none.png")
        picture = Image.open("images/" + name)
        out = io.BytesIO()
        picture.save(out, "PNG")
        reply = make_response(out.getvalue())
        reply.headers["Content-Type"] = "image/png"
        return reply


app.add_url_rule("/img", view_func=Picture.as_view("img"))
