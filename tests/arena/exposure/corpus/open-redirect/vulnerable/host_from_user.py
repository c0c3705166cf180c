from bottle import route, request, redirect


@route("/tenant")
def tenant():
    name = request.query.get("name")
    redirect("https://{}/welcome".format(name))
