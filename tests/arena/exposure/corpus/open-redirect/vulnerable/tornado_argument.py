import tornado.ioloop
import tornado.web


class Logout(tornado.web.RequestHandler):
    def get(self):
        self.clear_cookie("user")
        target = self.get_argument("next", "/")
        self.redirect(target)


if __name__ == "__main__":
    tornado.web.Application([(r"/logout", Logout)]).listen(8888)
    tornado.ioloop.IOLoop.current().start()
