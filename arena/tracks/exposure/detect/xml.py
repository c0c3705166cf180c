"""XML that fetches what it names: external entities and document types (CWE-611).

A sink is a call that parses XML. lxml is weak unless its parser has `resolve_entities` off or
"internal": before lxml 5 its default resolves entities of any file, and a program does not say which lxml
it will meet. A parser that loads the document type over the network is weak as well. The parsers of the
standard library fetch nothing (xml.sax since Python 3.7.1) unless `feature_external_ges` is set.
defusedxml, xmltodict and parsers of HTML are safe. A document that no attacker can choose does no harm.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from arena.tracks.exposure.detect._detector import (
    Detector,
    DetectorExample,
    Finding,
    Verdict,
    not_applicable,
    safe,
    unknown,
    vulnerable,
)
from arena.tracks.exposure.detect._followed import first_of, unfollowed_part
from arena.tracks.exposure.detect._xml_parsers import LXML_PARSER, Parsers, is_weak
from arena.tracks.exposure.flow.facts import CallFact, ProgramFacts, Value

_LXML = re.compile(
    r"lxml\.(?:etree|objectify)\."
    r"(?:fromstring|fromstringlist|XML|XMLID|parse|parseid|iterparse|XMLPullParser)(?:\(\)\.feed)?"
)
_FED = re.compile(LXML_PARSER.pattern + r"\(\)\.feed")
# Functions of lxml that take the options of a parser themselves.
_ITSELF = ("iterparse", "XMLPullParser")
_SAX = re.compile(r"xml\.sax\.(?:make_parser|expatreader\.create_parser)\(\)\.(?:parse|feed)")
_BY_SAX = re.compile(r"xml\.dom\.(?:minidom|pulldom)\.(?:parse|parseString)")
_DOCUMENT = ("source", "text", "string", "data", "stream", "stream_or_string")
# Functions whose document is a file that they are given the name of.
_OF_FILE = (".parse", ".iterparse", ".parseFile")
_HARMLESS = re.compile(
    r"defusedxml\.\S*(?:parse|fromstring|XML|iterparse|parseString|make_parser)|xmltodict\.parse"
    r"|xml\.etree\.c?ElementTree\.(?:parse|fromstring|fromstringlist|XML|XMLID|iterparse)"
    r"|xml\.etree\.c?ElementTree\.(?:XMLParser|XMLPullParser|ElementTree)\(\)\.(?:feed|parse)"
    r"|xml\.sax\.(?:parse|parseString)|xml\.parsers\.expat\.ParserCreate\(\)\.(?:Parse|ParseFile)"
    r"|xml\.dom\.expatbuilder\.(?:parse|parseString)|(?:bs4\.)?BeautifulSoup|untangle\.parse"
    r"|lxml\.html\.(?:fromstring|parse|document_fromstring|fragment_fromstring|soupparser\.fromstring)"
)


def _is_weak_lxml(call: CallFact, path: str, parsers: Parsers) -> bool | None:
    """Whether a call parses with a weak parser of lxml; None where it does not parse with lxml."""
    if _FED.fullmatch(path) and isinstance(call.node.func, ast.Attribute):
        return parsers.weak(call.node.func.value)
    if not _LXML.fullmatch(path):
        return None
    if path.endswith(_ITSELF):
        return is_weak(call)
    value = call.argument(1, "parser")
    # Without a parser lxml takes its default.
    if value is None or (value.exact and value.constants == {None}):
        return True
    if not any(LXML_PARSER.fullmatch(path.removesuffix("()")) for path in value.paths):
        return value.is_("lxml.etree.get_default_parser()")
    return parsers.weak(_parser_node(call.node))


def _parser_node(node: ast.Call) -> ast.expr:
    """The parser argument of a call, as written."""
    named = (keyword.value for keyword in node.keywords if keyword.arg in ("parser", None))
    return next(named, node.args[1] if len(node.args) > 1 else node)


def _is_weak_sax(call: CallFact, path: str, parsers: Parsers) -> bool | None:
    """Whether a call parses by a parser that is set to fetch; None where the path is neither SAX nor DOM."""
    if _SAX.fullmatch(path):
        return parsers.told_to_fetch
    if _BY_SAX.fullmatch(path):
        return call.argument(1, "parser") is not None and parsers.told_to_fetch
    return None


def _sinks(facts: ProgramFacts, parsers: Parsers) -> Iterator[tuple[CallFact, bool]]:
    """Calls that parse XML, and whether they do so in the vulnerable way."""
    for call in facts.calls:
        for path in sorted(item.removeprefix("?") for item in call.paths):
            lxml = _is_weak_lxml(call, path, parsers)
            if lxml is None:
                lxml = _is_weak_sax(call, path, parsers)
            if lxml is not None or _HARMLESS.fullmatch(path):
                yield call, bool(lxml)


def _judge(facts: ProgramFacts) -> Finding:
    parsers = Parsers(facts)
    findings: list[Finding] = []
    for call, weak in _sinks(facts, parsers):
        document = call.argument(0, *_DOCUMENT)
        chosen = parsers.untrusted_source(document) if weak and document is not None else None
        if chosen is not None:
            return vulnerable(call.line, f"entities that {chosen} names are fetched")
        findings.append(_judge_harmless(call, weak, document))
    return first_of(findings) or not_applicable("no XML is parsed")


def _judge_harmless(call: CallFact, weak: bool, document: Value | None) -> Finding:
    """The finding for a parser that fetches nothing, or a document without evidence of a foreign author."""
    name = min(call.paths, default="a parser").lstrip("?")
    if not weak:
        return safe(call.line, f"{name} fetches no entity that a document names")
    if document is not None and document.exact and not call.ends(*_OF_FILE):
        return safe(call.line, f"{name} fetches entities, and the document is constant")
    read = next(iter(document.texts), "") if document is not None else ""
    part = unfollowed_part(document) or read or "its document"
    return unknown(call.line, f"{name} fetches entities, and who writes {part[:80]} is not seen")


_EXAMPLE = """from lxml import etree
import xml.etree.ElementTree as ET
from flask import Flask, request
app = Flask(__name__)
@app.post("/name")
def name():
    parser = etree.XMLParser({})
    return {}
"""

PLUGIN = Detector(
    "XML that fetches what it names",
    ("CWE-611",),
    _judge,
    (
        DetectorExample(
            "entities resolved",
            _EXAMPLE.format("resolve_entities=True", "etree.fromstring(request.data, parser).text"),
            Verdict.VULNERABLE,
        ),
        DetectorExample(
            "the default parser of lxml",
            _EXAMPLE.format("resolve_entities=False", "etree.fromstring(request.data).text"),
            Verdict.VULNERABLE,
        ),
        DetectorExample(
            "entities left alone",
            _EXAMPLE.format(
                "resolve_entities=False", "etree.fromstring(request.data, parser).text"
            ),
            Verdict.SAFE,
        ),
        DetectorExample(
            "the standard library",
            _EXAMPLE.format("", "ET.fromstring(request.data).text"),
            Verdict.SAFE,
        ),
        DetectorExample(
            "entities of a file",
            "from lxml import etree\n\n"
            "tree = etree.parse('settings.xml', etree.XMLParser(resolve_entities=True))\n",
            Verdict.UNKNOWN,
        ),
        DetectorExample(
            "no XML", _EXAMPLE.format("", 'request.get_json()["name"]'), Verdict.NOT_APPLICABLE
        ),
    ),
)
