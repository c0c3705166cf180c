import tornado.web


class Short(tornado.web.RequestHandler):
    def get(self, name):
        self.redirect("/articles/" + name)
