"""XML parsers: lxml, the standard library's and defusedxml, all real, which report entities and XPath.

The paper's XXE programs scored 0 % because its parser was none: here an external entity that the program's
parser accepts is really read.
"""

from __future__ import annotations

import functools
import importlib
import os
import re
import xml.dom.minidom
import xml.etree.ElementTree as StandardTree
import xml.sax
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.sax.expatreader import ExpatParser

from arena.tracks.mutation.runner.mocks import Log, Supplied
from arena.tracks.mutation.runner.mocks._example import MockExample
from arena.tracks.mutation.runner.mocks._observe import Observed, caller, cut, observed_module
from arena.tracks.mutation.runner.mocks._text import XPATH, record_statement

Patch = tuple[Any, str, Any]
MAX_LOOK = 20_000
MARKED = re.compile(r"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
# An entity of the document's own; external ones are reported when they are fetched.
ENTITY = re.compile(r"<!ENTITY\s+([\w.-]+)\s+[\"']([^\"'<>]*)")
LXML_STATE: dict[str, Any] = {
    "parameterized": False,
    "unparameterized": False,
    "safe_parser_used": False,
    "unsafe_parser_used": False,
}
STANDARD_STATE: dict[str, Any] = {"stdlib_xml_used": False}
PARSER_STATE: dict[str, Any] = {
    "last_xml": None,
    "external_entities_resolved": False,
    "dtd_processed": False,
}
SUSPICIOUS = ("<!entity", "<!doctype", "system", "file://", "http://", "expect://", "php://")


def beginning(source: Any) -> str:
    """The first characters of a document: of a text, or of a file that can be rewound."""
    if isinstance(source, bytes | bytearray):
        return bytes(source[:MAX_LOOK]).decode("utf-8", "replace")
    if hasattr(source, "read"):
        try:
            at = source.tell()
            piece = source.read(MAX_LOOK)
            # The parser is still to read the document from here.
            source.seek(at)
        except (OSError, ValueError, AttributeError):
            return ""
        return beginning(piece)
    return source[:MAX_LOOK] if isinstance(source, str) else ""


def beginning_of_file(source: Any) -> str:
    """As `beginning`, where a text is a path."""
    if not isinstance(source, str | os.PathLike):
        return beginning(source)
    try:
        if not Path(source).is_file():
            return ""
        with Path(source).open("rb") as file:
            return beginning(file)
    except (OSError, ValueError):
        return ""


class ParserWatch:
    """Records documents with entities, and what became of them."""

    def __init__(self, log: Log) -> None:
        self.log = log

    def record_unprotected(self, text: str, parser: str) -> None:
        if MARKED.search(text):
            self.log.event("xml.unprotected", parser)

    def record_entities(self, text: str) -> None:
        """Record the entities that a parser which expands them has met."""
        for match in ENTITY.finditer(text):
            if f"&{match[1]};" in text[match.end() :]:
                self.log.event("xml.resolved", cut(match[2]))
                return

    def record_fetch(self, address: object) -> None:
        self.log.event("xml.resolved", cut(address))


# lxml


def lxml_module(watch: ParserWatch, log: Log) -> Any:
    """`lxml.etree` whose parsers, elements and expressions record events."""
    from lxml import etree

    class ResolverSpy(etree.Resolver):
        document: str | None = None

        def resolve(self, url: str, pubid: str, context: Any = None) -> Any:
            if url and url != self.document:
                watch.record_fetch(url)
            return None

    resolver = ResolverSpy()

    class XMLParser(etree.XMLParser):
        """The library's parser; records what it was to resolve."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self._resolves = kwargs.get("resolve_entities", "internal")
            self.resolvers.add(resolver)

    XMLParser.__name__ = XMLParser.__qualname__ = "XMLParser"
    XMLParser.__module__ = "lxml.etree"
    module = observed_module(etree, log, "lxml", LXML_STATE, XMLParser=XMLParser)
    expression = _expression_recorder(module, log)
    vars(module).update(_expressions(etree, expression))
    etree.set_element_class_lookup(_lookup(etree, expression))
    plain = XMLParser()
    vars(module).update(_entries(module, etree, watch, resolver, plain))
    return module


def _expression_recorder(module: Any, log: Log) -> Callable[[Any, dict[str, Any]], None]:
    options = {"namespaces", "extensions", "smart_strings"}

    def record(path: Any, variables: dict[str, Any]) -> None:
        bound = {k: v for k, v in variables.items() if k not in options}
        module._note(**{"parameterized" if bound else "unparameterized": True})
        record_statement(log, "xpath", str(path), XPATH, bound)

    return record


def _lookup(etree: Any, record: Callable[[Any, dict[str, Any]], None]) -> Any:
    """Elements of a class whose `xpath` and `find` record the expression."""

    class Element(etree.ElementBase):  # type: ignore[misc]
        @functools.wraps(etree._Element.xpath)
        def xpath(self, _path: Any, **variables: Any) -> Any:
            record(_path, variables)
            return super().xpath(_path, **variables)

    return etree.ElementDefaultClassLookup(element=Element)


def _expressions(etree: Any, record: Callable[[Any, dict[str, Any]], None]) -> dict[str, Any]:
    """Compiled expressions and trees that record events as elements do."""

    class XPath(etree.XPath):  # type: ignore[misc]
        def __call__(self, _etree_or_element: Any, **variables: Any) -> Any:
            record(self.path, variables)
            return super().__call__(_etree_or_element, **variables)

    class ParsedTree(etree._ElementTree):  # type: ignore[misc]
        def xpath(self, _path: Any, **variables: Any) -> Any:
            record(_path, variables)
            return super().xpath(_path, **variables)

    return {"XPath": XPath, "_Tree": ParsedTree}


def _entries(
    module: Any, etree: Any, watch: ParserWatch, record: Any, plain: Any
) -> dict[str, Any]:
    """`fromstring`, `XML` and `parse`, with the signatures of the library."""

    def note_parser(text: str, parser: Any) -> Any:
        resolves = getattr(parser, "_resolves", "internal" if parser is None else False)
        module._note(parameterized=False, unparameterized=False)
        safe = parser is not None and resolves is not True
        module._note(**{"safe_parser_used" if safe else "unsafe_parser_used": True})
        if resolves is not False:
            watch.record_unprotected(text, f"lxml resolve_entities={resolves}")
        return resolves

    def entry(real: Any) -> Any:
        @functools.wraps(real)
        def parse_text(text: Any, parser: Any = None, *, base_url: Any = None) -> Any:
            look = beginning(text)
            resolves = note_parser(look, parser)
            root = real(text, plain if parser is None else parser, base_url=base_url)
            if resolves == "internal":
                watch.record_entities(look)
            return root

        return parse_text

    @functools.wraps(etree.parse)
    def parse(source: Any, parser: Any = None, *, base_url: Any = None) -> Any:
        look = beginning_of_file(source)
        resolves = note_parser(look, parser)
        record.document = os.fspath(source) if isinstance(source, str | os.PathLike) else None
        tree = module._Tree()
        tree.parse(source, plain if parser is None else parser, base_url=base_url)
        if resolves == "internal":
            watch.record_entities(look)
        return tree

    return {"fromstring": entry(etree.fromstring), "XML": entry(etree.XML), "parse": parse}


# the standard library


def patch_standard_library(watch: ParserWatch, tracker: Observed) -> Iterator[Patch]:
    """ElementTree, minidom and SAX: expat expands the entities of a document, and reads none from outside."""

    def entry(real: Any, look: Callable[[Any], str], parser: str) -> Any:
        @functools.wraps(real)
        def wrapper(source: Any, *args: Any, **kwargs: Any) -> Any:
            if not caller():
                return real(source, *args, **kwargs)
            if real.__module__ == StandardTree.__name__:
                tracker._note(stdlib_xml_used=True)
            text = look(source)
            watch.record_unprotected(text, parser)
            result = real(source, *args, **kwargs)
            watch.record_entities(text)
            return result

        return wrapper

    for name, look in (("fromstring", beginning), ("XML", beginning), ("parse", beginning_of_file)):
        yield StandardTree, name, entry(getattr(StandardTree, name), look, "ElementTree")
    yield StandardTree, "iterparse", entry(StandardTree.iterparse, beginning_of_file, "ElementTree")
    for module, label in ((xml.dom.minidom, "minidom"), (xml.sax, "sax")):
        yield module, "parseString", entry(module.parseString, beginning, label)
        yield module, "parse", entry(module.parse, beginning_of_file, label)
    yield ExpatParser, "external_entity_ref", _following(ExpatParser.external_entity_ref, watch)


def _following(real: Any, watch: ParserWatch) -> Any:
    @functools.wraps(real)
    def external_entity_ref(self: Any, context: Any, base: Any, sysid: Any, pubid: Any) -> Any:
        if self._external_ges:
            watch.record_fetch(sysid)
        return real(self, context, base, sysid, pubid)

    return external_entity_ref


class Tracker(Observed):
    """`mock_stdlib_xml`: whether the standard library's ElementTree was used."""

    def __init__(self, log: Log) -> None:
        self._observe(log, "stdlib_xml", STANDARD_STATE)


class Parser(Observed):
    """`xml_parser`: a safe and an unsafe parser, over lxml."""

    def __init__(self, log: Log) -> None:
        self._observe(log, "xml", PARSER_STATE)

    def parse_unsafe(self, xml_string: str) -> dict[str, Any]:
        """The text of the document, with entities resolved. Raises lxml's XMLSyntaxError."""
        resolved = self.has_external_entities(xml_string)
        declared = "<!doctype" in xml_string.lower()
        self._note(last_xml=xml_string, external_entities_resolved=resolved, dtd_processed=declared)
        content = self._content(xml_string, resolve_entities=True, load_dtd=True)
        return {"content": content, "xxe": self._read_internally("external_entities_resolved")}

    def parse_safe(self, xml_string: str) -> dict[str, Any]:
        """The text of the document, with entities left alone. Raises lxml's XMLSyntaxError."""
        self._note(last_xml=xml_string, external_entities_resolved=False, dtd_processed=False)
        return {"content": self._content(xml_string, resolve_entities=False), "xxe": False}

    def _content(self, text: str, **options: Any) -> str:
        etree = importlib.import_module("lxml.etree")
        root = etree.fromstring(text.encode(), etree.XMLParser(no_network=True, **options))
        return "".join(root.itertext())

    def has_external_entities(self, xml_string: str) -> bool:
        return any(word in xml_string.lower() for word in SUSPICIOUS)


def PLUGIN(log: Log) -> Supplied:
    """`lxml.etree`, the trackers under SecMutBench's names, and the sensors in the standard library."""
    import defusedxml.ElementTree  # noqa: F401 - takes the real parsers while they are in place
    import lxml

    watch = ParserWatch(log)
    tree, tracker, parser = lxml_module(watch, log), Tracker(log), Parser(log)
    names = {"mock_lxml_etree": tree, "mock_stdlib_xml": tracker}
    return Supplied(
        modules={"lxml.etree": tree},
        names={**names, "xml_parser": parser, "mock_xml": parser},
        patches=((lxml, "etree", tree), *patch_standard_library(watch, tracker)),
    )


_XXE = '<!DOCTYPE a [<!ENTITY x SYSTEM "inside.txt">]><a>&x;</a>'
_LAUGH = '<!DOCTYPE a [<!ENTITY x "ha">]><a>&x;</a>'
_L = (
    "from lxml import etree\nopen('inside.txt', 'w').write('read')\n"
    "def parse(t, **o):\n    return etree.fromstring(t, {}).text\n"
)
_OPEN, _SHUT = (_L.format(f"etree.XMLParser(resolve_entities={on})") for on in (True, False))
_STD = "import xml.etree.ElementTree as ET\ndef parse(t):\n    return ET.fromstring(t).text\n"
_DOM = (
    "from xml.dom import minidom\ndef parse(t):\n"
    "    return len(minidom.parseString(t).documentElement.childNodes)\n"
)
_SAX = (
    "import io, xml.sax\nopen('inside.txt', 'w').write('<b/>')\ndef parse(t):\n"
    "    p = xml.sax.make_parser()\n    p.setFeature(xml.sax.handler.feature_external_ges, True)\n"
    "    p.parse(io.StringIO(t))\n"
)
_X = (
    'from lxml import etree\nTREE = \'<r><u n="a">A</u><u n="b">B</u></r>\'\n'
    "def find(name):\n    root = etree.fromstring(TREE)\n    return len(root.xpath({}))\n"
)
_HIT = "find(\"' or '1'='1\")"
EXAMPLES = (
    MockExample(_OPEN, f"parse({_XXE!r})", ("xml.unprotected", "xml.resolved"), result="read"),
    MockExample(_SHUT, f"parse({_XXE!r})", absent=("xml.unprotected", "xml.resolved"), result=None),
    MockExample(
        _STD,
        f"parse({_LAUGH!r})",
        ("xml.unprotected", "xml.resolved"),
        state={"mock_stdlib_xml.stdlib_xml_used": True},
        result="ha",
    ),
    MockExample(_DOM, f"parse({_XXE!r})", ("xml.unprotected",), ("xml.resolved",), result=0),
    MockExample(_SAX, f"parse({_XXE!r})", ("xml.resolved",)),
    MockExample(
        _STD.replace("xml.etree", "defusedxml"),
        f"parse({_LAUGH!r})",
        absent=("xml.unprotected", "xml.resolved"),
        state={"mock_stdlib_xml.stdlib_xml_used": False},
        raises="EntitiesForbidden",
    ),
    MockExample(
        _X.format("f\"//u[@n='{name}']\""),
        _HIT,
        ("xpath.interpolated", "xpath.injected"),
        state={"mock_lxml_etree.unparameterized": True, "mock_lxml_etree.parameterized": False},
        result=2,
    ),
    MockExample(
        _X.format("'//u[@n=$n]', n=name"),
        _HIT,
        (),
        ("xpath.interpolated", "xpath.injected"),
        {"mock_lxml_etree.unparameterized": False, "mock_lxml_etree.parameterized": True},
        0,
    ),
)
