from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlparse
import urllib.request


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        query = parse_qs(urlparse(self.path).query)
        url = query.get("url", [None])[0]
        self.send_response(200)
        self.end_headers()
        self.wfile.write(urllib.request.urlopen(url).read())


HTTPServer(("", 8000), Handler).serve_forever()
