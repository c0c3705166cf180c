import tornado.web
import tornado.ioloop
import MySQLdb


class VoteHandler(tornado.web.RequestHandler):
    def initialize(self, db):
        self.db = db

    def post(self):
        option = self.get_argument("option")
        cur = self.db.cursor()
        cur.execute("UPDATE votes SET n = n + 1 WHERE name = '%s'" % option.encode("utf-8"))
        self.db.commit()
        self.write("thanks")


application = tornado.web.Application([(r"/vote", VoteHandler)])
