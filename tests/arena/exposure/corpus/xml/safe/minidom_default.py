from xml.dom.minidom import parseString
from bottle import post, request


@post("/dom")
def dom():
    document = parseString(request.body.read())
    names = document.getElementsByTagName("name")
    return [n.firstChild.data for n in names]
