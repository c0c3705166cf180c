from bottle import route, static_file


@route("/img/<filename:path>")
def img(filename):
    return static_file(filename, root="./images", mimetype="image/png")
