import webapp2


class Hello(webapp2.RequestHandler):
    def get(self):
        name = self.request.get("name")
        self.response.out.write("<b>Hello %s</b>" % name)


app = webapp2.WSGIApplication([("/hello", Hello)], debug=True)
