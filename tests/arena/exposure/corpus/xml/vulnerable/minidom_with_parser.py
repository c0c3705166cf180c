import xml.dom.minidom
import xml.sax
from bottle import post, request


@post("/dom")
def dom():
    p = xml.sax.make_parser()
    p.setFeature("http://xml.org/sax/features/external-general-entities", True)
    document = xml.dom.minidom.parse(request.body, p)
    return document.documentElement.tagName
