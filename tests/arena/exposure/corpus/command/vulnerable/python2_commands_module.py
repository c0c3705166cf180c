import commands
import urllib2, sys
import web

urls = ("/ping/(.*)", "Ping")
app = web.application(urls, globals())


class Ping:
    def GET(self, host):
        # host arrives from the path
        status, output = commands.getstatusoutput("ping -c 1 %s" % host)
        if status != 0:
            print("ping of %s failed" % host)
            return "down"
        return output


if __name__ == "__main__":
    app.run()
