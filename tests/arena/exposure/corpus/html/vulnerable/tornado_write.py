import tornado.ioloop
import tornado.web


class HelloHandler(tornado.web.RequestHandler):
    def get(self, username):
        self.write("<h1>Hello %s</h1>" % username)


application = tornado.web.Application(
    [
        (r"/hello/(.*)", HelloHandler),
    ]
)

if __name__ == "__main__":
    application.listen(8888)
    tornado.ioloop.IOLoop.current().start()
