from bottle import route, static_file, request


@route("/img")
def img():
    directory = request.query.get("dir") or "images"
    return static_file("logo.png", root=directory)
