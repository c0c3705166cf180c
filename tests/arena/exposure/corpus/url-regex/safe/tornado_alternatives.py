import re
import tornado.web

PARTNERS = re.compile(
    r"""^https://(?:
        example\.com      # us
      | partner\.example\.org
    )/""",
    re.VERBOSE,
)


class Go(tornado.web.RequestHandler):
    def get(self):
        to = self.get_query_argument("to")
        if PARTNERS.match(to):
            return self.redirect(to)
        self.set_status(400)
        self.finish("unknown partner")
