from bottle import request, redirect, route

PAGES = {"home": "https://example.com/", "docs": "https://docs.example.com/"}


@route("/page")
def page():
    url = request.query.url
    if url in PAGES.values():
        return redirect(url)
    return "no page"
