from pathlib import Path
from bottle import request, route

IMAGES = Path("/var/lib/images")


@route("/img")
def img():
    only = Path(request.query.get("name")).name
    return (IMAGES / only).read_bytes()
