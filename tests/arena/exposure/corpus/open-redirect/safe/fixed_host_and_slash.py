from bottle import request, redirect, route


@route("/old/<path:path>")
def old(path):
    redirect("https://new.example.org/" + path, 301)
