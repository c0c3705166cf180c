from urllib.parse import parse_qs
from wsgiref.simple_server import make_server


def application(environ, start_response):
    query = parse_qs(environ.get("QUERY_STRING", ""))
    name = query.get("name", ["you"])[0]
    start_response("200 OK", [("Content-Type", "text/html")])
    return [("<p>Hello " + name + "</p>").encode()]


make_server("", 8000, application).serve_forever()
