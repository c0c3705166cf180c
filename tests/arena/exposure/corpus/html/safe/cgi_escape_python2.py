import cgi
import web

urls = ("/hello/(.*)", "hello")
app = web.application(urls, globals())


class hello:
    def GET(self, name):
        if not name:
            name = "World"
        return "<p>Hello, " + cgi.escape(name, True) + "!</p>"


if __name__ == "__main__":
    app.run()
