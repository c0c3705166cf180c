import tornado.web


class RedirectHandler(tornado.web.RequestHandler):
    DOMAIN = "example.com"

    def get(self):
        target = self.get_argument("url")
        if self.DOMAIN not in target:
            self.set_status(400)
            return
        self.redirect(target)
