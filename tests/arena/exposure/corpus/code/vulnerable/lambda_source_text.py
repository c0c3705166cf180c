import tornado.web


def make_function(source):
    return eval("lambda x: " + source)


class Plot(tornado.web.RequestHandler):
    def get(self):
        f = make_function(self.get_argument("f"))
        self.write({"y": [f(x) for x in range(10)]})
