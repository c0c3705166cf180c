import re
import tornado.ioloop
import tornado.web


class Away(tornado.web.RequestHandler):
    def get(self):
        url = self.get_argument("url", "")
        if len(re.findall(r"example\.com", url)) > 0:
            self.redirect(url)
        else:
            self.send_error(400)


def make_app():
    return tornado.web.Application([(r"/away", Away)])


if __name__ == "__main__":
    make_app().listen(8888)
    tornado.ioloop.IOLoop.current().start()
