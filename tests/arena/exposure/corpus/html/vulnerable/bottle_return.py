from bottle import route, run, request


@route("/hello/<name>")
def hello(name="Stranger"):
    title = request.query.title
    if title:
        name = title + " " + name
    return "<b>Hello " + name + "</b>!"


run(host="localhost", port=8080)
