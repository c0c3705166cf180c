from bottle import request, route, run


@route("/upload", method="POST")
def do_upload():
    upload = request.files.get("upload")
    # size is checked, the type is not
    if upload.content_length > 1024 * 1024:
        return "too large"
    upload.save("uploads/" + upload.filename, overwrite=True)
    return "OK"


run(host="localhost", port=8080)
