import os
from http.server import BaseHTTPRequestHandler, HTTPServer


class Images(BaseHTTPRequestHandler):
    def do_GET(self):
        path = os.path.join("images", self.path.lstrip("/"))
        try:
            with open(path, "rb") as f:
                body = f.read()
        except OSError:
            self.send_error(404)
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)


HTTPServer(("", 8000), Images).serve_forever()
