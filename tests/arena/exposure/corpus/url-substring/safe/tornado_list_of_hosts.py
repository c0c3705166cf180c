from urllib.parse import urlparse
import tornado.web


class Out(tornado.web.RequestHandler):
    allowed = ["example.com", "example.org"]

    def get(self):
        url = self.get_argument("url", "/")
        netloc = urlparse(url).netloc
        if netloc in self.allowed:
            self.redirect(url)
        else:
            self.write("%s is not ours" % netloc)
