from flask import Flask, Response, request

app = Flask(__name__)


@app.route("/search")
def search():
    term = request.args.get("q", "")
    if not term:
        return Response("nothing to search for", status=400)
    lines = ["<ul>"]
    for number in range(3):
        lines.append("<li>%d: %s</li>" % (number, term))
    lines.append("</ul>")
    return Response("\n".join(lines), mimetype="text/html")
