from flask import Flask, request, send_file

app = Flask(__name__)


@app.route("/img")
def img():
    match request.args.get("name"):
        case "cat" | "dog" as animal:
            return send_file("images/" + animal + ".png")
        case _:
            return "unknown", 404
