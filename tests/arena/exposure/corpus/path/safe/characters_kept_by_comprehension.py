from flask import Flask, request, send_file
app = Flask(__name__)
@app.route("/image")
def image():
    name = "".join(c for c in request.args.get("picture", "") if c.isalnum() or c in "_-")
    return send_file(f"images/{name}.jpg")
