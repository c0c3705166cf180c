import io
import pycurl
from bottle import route, request


@route("/curl")
def curl():
    buffer = io.BytesIO()
    c = pycurl.Curl()
    c.setopt(pycurl.URL, request.query.url)
    c.setopt(c.WRITEDATA, buffer)
    c.perform()
    c.close()
    return buffer.getvalue()
