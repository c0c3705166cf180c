from __future__ import annotations

from collections.abc import Sequence
from xml.dom import minidom
from xml.parsers.expat import ExpatError

from defusedxml import DefusedXmlException
from defusedxml.minidom import parseString
from flask import Flask, Response, request
from werkzeug.exceptions import RequestEntityTooLarge

LARGEST = 20_000


class Fault(Exception):
    def __init__(self, reason: str, status: int = 400) -> None:
        super().__init__(reason)
        self.status = status


def answer(
    name: str,
    text: str = "",
    attributes: dict[str, str] | None = None,
    parts: Sequence[str] = (),
    status: int = 200,
) -> Response:
    document = minidom.Document()
    root = document.appendChild(document.createElement(name))
    for key, value in (attributes or {}).items():
        root.setAttribute(key, value)
    root.appendChild(document.createTextNode(text))
    for part in parts:
        child = root.appendChild(document.createElement("High"))
        child.appendChild(document.createTextNode(part))
    return Response(root.toxml(), status=status, mimetype="text/xml")


def text_of(node: minidom.Node) -> str:
    if node.nodeType in (node.TEXT_NODE, node.CDATA_SECTION_NODE):
        return node.data
    return "".join(text_of(child) for child in node.childNodes)


def only(document: minidom.Document, name: str) -> minidom.Element:
    found = document.getElementsByTagNameNS("*", name)
    if len(found) != 1:
        raise Fault(f"one {name} is needed")
    return found[0]


def harbour_in(data: bytes) -> str:
    try:
        document = parseString(data)
    except (ExpatError, DefusedXmlException, ValueError) as error:
        raise Fault("no document") from error
    for name in ("Envelope", "Body", "GetTides"):
        only(document, name)
    return text_of(only(document, "Harbour")).strip()


def create_app(tides: dict[str, list[str]]) -> Flask:
    app = Flask(__name__)
    app.config["MAX_CONTENT_LENGTH"] = LARGEST

    @app.errorhandler(Fault)
    def fault(error: Fault):
        return answer("Fault", str(error), status=error.status)

    @app.errorhandler(RequestEntityTooLarge)
    def too_large(error: RequestEntityTooLarge):
        return answer("Fault", "too large", status=413)

    @app.post("/soap")
    def soap():
        harbour = harbour_in(request.get_data())
        if harbour not in tides:
            raise Fault(f"unknown harbour {harbour}", 404)
        return answer("Tides", "", {"harbour": harbour}, tides[harbour])

    return app
