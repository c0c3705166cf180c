from flask import Flask, request, send_file, current_app

app = Flask(__name__)


@app.route("/img")
def img():
    file_name = request.args.get("file")
    if not file_name:
        return "", 404
    return send_file(
        filename_or_fp=current_app.root_path + "/images/" + file_name, as_attachment=False
    )
