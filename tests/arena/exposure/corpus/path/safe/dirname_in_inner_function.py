import os
from flask import Flask, request, send_file, abort
def create_app():
    app = Flask(__name__)
    root = os.path.realpath(os.path.join(app.root_path, "images"))
    def checked(name):
        p = os.path.realpath(os.path.join(root, name))
        if os.path.dirname(p) != root:
            abort(403)
        return p
    @app.route("/image")
    def image():
        return send_file(checked(request.args.get("picture", "")))
    return app
