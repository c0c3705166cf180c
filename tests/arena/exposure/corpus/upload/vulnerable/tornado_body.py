import tornado.web


class Upload(tornado.web.RequestHandler):
    def post(self):
        info = self.request.files["file"][0]
        name = info["filename"]
        with open("uploads/" + name, "wb") as out:
            out.write(info["body"])
        self.write("stored " + name)


app = tornado.web.Application([("/upload", Upload)])
