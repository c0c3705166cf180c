from jinja2 import Environment, DictLoader
import tornado.web


class Renderer:
    escape = None

    def __init__(self, pages):
        self.env = Environment(loader=DictLoader(pages), autoescape=self.escape)

    def __call__(self, name, **values):
        return self.env.get_template(name).render(**values)


class Page(tornado.web.RequestHandler):
    def get(self, name):
        renderer = Renderer({"page": "<p>{{ name }}</p>"})
        self.write(renderer("page", name=name))
