import shlex
import subprocess
from tornado import web, ioloop


class CommandHandler(web.RequestHandler):
    def post(self):
        line = self.get_argument("cmd")
        words = shlex.split(line)
        output = subprocess.check_output(words)
        self.write(output)


def make_app():
    return web.Application([(r"/run", CommandHandler)])


if __name__ == "__main__":
    make_app().listen(8888)
    ioloop.IOLoop.current().start()
