import pipes
import commands
import web

urls = ("/ping", "Ping")


class Ping:
    def GET(self):
        data = web.input(host="localhost")
        command = "ping -c 1 %s" % pipes.quote(data.host)
        status, output = commands.getstatusoutput(command)
        return output


if __name__ == "__main__":
    web.application(urls, globals()).run()
