from pathlib import Path
from bottle import get, request, response, run

ROOT = Path(__file__).parent / "images"


@get("/img")
def img():
    response.content_type = "image/png"
    return Path(ROOT, request.query.name).read_bytes()


if __name__ == "__main__":
    run(host="localhost", port=8080)
