import bottle


@bottle.route("/jump")
def jump():
    there = bottle.request.query.get("there")
    if there.find("example.com") != -1:
        bottle.redirect(there)
    return "stay"
