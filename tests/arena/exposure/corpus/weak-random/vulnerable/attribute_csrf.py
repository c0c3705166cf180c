import tornado.web
import random


class Form(tornado.web.RequestHandler):
    def prepare(self):
        self.csrf_token = str(random.random())[2:]
        self.set_cookie("csrf", self.csrf_token)

    def get(self):
        self.render("form.html", csrf=self.csrf_token)
