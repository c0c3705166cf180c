from flask import Flask, request, Response
from xml.sax.saxutils import escape

app = Flask(__name__)


@app.route("/echo")
def echo():
    text = escape(request.args.get("text", ""))
    return Response("<echo>%s</echo>" % text, mimetype="text/xml")
