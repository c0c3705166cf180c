import os
import tornado.ioloop
import tornado.web


class ImageHandler(tornado.web.RequestHandler):
    def get(self):
        name = self.get_argument("name")
        self.set_header("Content-Type", "image/png")
        path = os.path.join("images", name)
        with open(path, "rb") as f:
            self.write(f.read())


def make_app():
    return tornado.web.Application([(r"/img", ImageHandler)])


if __name__ == "__main__":
    make_app().listen(8888)
    tornado.ioloop.IOLoop.current().start()
