import uuid
import tornado.web


class Upload(tornado.web.RequestHandler):
    def post(self):
        body = self.request.files["file"][0]["body"]
        path = "uploads/%s.bin" % uuid.uuid4().hex
        with open(path, "wb") as out:
            out.write(body)
        self.write(path)
