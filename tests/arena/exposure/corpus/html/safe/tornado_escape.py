from tornado import web, escape
from tornado.ioloop import IOLoop


class Hello(web.RequestHandler):
    def get(self, username):
        self.write("<h1>Hello " + escape.xhtml_escape(username) + "</h1>")


class Api(web.RequestHandler):
    def get(self):
        self.write({"name": self.get_argument("name")})


if __name__ == "__main__":
    web.Application([(r"/hello/(.*)", Hello), (r"/api", Api)]).listen(8888)
    IOLoop.current().start()
