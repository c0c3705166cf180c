from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from lxml import etree

NAME = re.compile(r"[A-Za-z0-9.-]{1,40}")
YEAR = re.compile(r"[0-9]{1,4}")
MAX_TITLE = 200


class CatalogueError(ValueError):
    """A document that is no collection."""


@dataclass(frozen=True)
class Object:
    museum: str
    id: str
    title: str
    year: int | None


def parse(source: bytes | BinaryIO) -> etree._ElementTree:
    """Return the document's tree; no entity is expanded and nothing else is read."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True)
    stream = io.BytesIO(source) if isinstance(source, bytes) else source
    try:
        return etree.parse(stream, parser)
    except etree.XMLSyntaxError as error:
        raise CatalogueError("the document is not well-formed") from error


def collection(source: bytes | BinaryIO) -> etree._Element:
    root = parse(source).getroot()
    if root.tag != "collection" or not NAME.fullmatch(root.get("museum", "")):
        raise CatalogueError("the document is no museum's collection")
    return root


def text_of(element: etree._Element, name: str) -> str:
    """Return the text of a child; an empty text where there is no such child."""
    found = element.find(name)
    if found is None:
        return ""
    if len(found):
        raise CatalogueError(f"{name} holds more than a text")
    return (found.text or "").strip()


def read_object(museum: str, element: etree._Element) -> Object:
    number = element.get("id", "")
    if not NAME.fullmatch(number):
        raise CatalogueError(f"an object without a proper id: {number[:40]!r}")
    title, year = text_of(element, "title"), text_of(element, "year")
    if not 0 < len(title) <= MAX_TITLE:
        raise CatalogueError(f"{number}: a title has 1 to {MAX_TITLE} characters")
    if year and not YEAR.fullmatch(year):
        raise CatalogueError(f"{number}: a year has up to four digits")
    return Object(museum, number, title, int(year) if year else None)


def read_objects(source: bytes | BinaryIO) -> Iterator[Object]:
    root = collection(source)
    for element in root.iterfind("object"):
        yield read_object(root.get("museum"), element)


class Catalogue:
    def __init__(self) -> None:
        self._objects: dict[tuple[str, str], Object] = {}

    def add(self, source: bytes | BinaryIO) -> int:
        found = {(item.museum, item.id): item for item in read_objects(source)}
        new = len(found.keys() - self._objects.keys())
        self._objects.update(found)
        return new

    def check(self, source: bytes | BinaryIO) -> list[str]:
        try:
            root = collection(source)
        except CatalogueError as error:
            return [str(error)]
        wrong = []
        for element in root.iterfind("object"):
            try:
                read_object(root.get("museum"), element)
            except CatalogueError as error:
                wrong.append(str(error))
        return wrong

    def find(self, words: str) -> list[Object]:
        wanted = words.lower().split()
        items = (self._objects[key] for key in sorted(self._objects))
        return [item for item in items if all(word in item.title.lower() for word in wanted)]

    def export(self) -> bytes:
        root = etree.Element("catalogue")
        for item in self.find(""):
            element = etree.SubElement(root, "object", museum=item.museum, id=item.id)
            if item.year is not None:
                element.set("year", str(item.year))
            element.text = item.title
        return etree.tostring(root, encoding="utf-8")
