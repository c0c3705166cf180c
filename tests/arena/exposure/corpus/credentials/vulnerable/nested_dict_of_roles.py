import tornado.ioloop
import tornado.web

PEOPLE = {
    "mia": dict(password="orchid", role="moderator"),
    "tom": dict(password="cactus", role="reader"),
}


class CheckMod(tornado.web.RequestHandler):
    def get(self):
        person = PEOPLE.get(self.get_argument("username"))
        if person and person["password"] == self.get_argument("password"):
            self.write(str(person["role"] == "moderator"))
        else:
            self.write("False")


if __name__ == "__main__":
    tornado.web.Application([(r"/check", CheckMod)]).listen(8000)
    tornado.ioloop.IOLoop.current().start()
