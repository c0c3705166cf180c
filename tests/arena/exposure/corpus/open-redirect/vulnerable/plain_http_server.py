from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlparse


class Leave(BaseHTTPRequestHandler):
    def do_GET(self):
        fields = parse_qs(urlparse(self.path).query)
        self.send_response(302)
        self.send_header("Location", fields["to"][0])
        self.end_headers()


if __name__ == "__main__":
    HTTPServer(("", 8000), Leave).serve_forever()
