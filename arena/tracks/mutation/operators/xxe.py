"""XXE: XML parsers that expand entities or read what documents refer to."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators._alternatives import other_words
from arena.tracks.mutation.operators._constants import OTHER_WORDS
from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._fallback import wrap_in_try
from arena.tracks.mutation.operators._names import (
    Change,
    New,
    View,
    argument,
    each,
    expression,
    nodes,
    remove_argument,
    with_keyword,
)
from arena.tracks.mutation.operators._operator import Operator, Paper, Rewriting
from arena.tracks.mutation.operators._scopes import source

# Module of defusedxml -> the one that it protects.
STANDARD = {
    "defusedxml.ElementTree": "xml.etree.ElementTree",
    "defusedxml.cElementTree": "xml.etree.ElementTree",
    "defusedxml.minidom": "xml.dom.minidom",
    "defusedxml.pulldom": "xml.dom.pulldom",
    "defusedxml.sax": "xml.sax",
    "defusedxml.expatreader": "xml.sax.expatreader",
    "defusedxml.lxml": "lxml.etree",
}
TREES = tuple(
    f"defusedxml.{room}.{name}"
    for room in ("ElementTree", "cElementTree")
    for name in ("fromstring", "parse", "XML", "iterparse")
)
DEFUSED = (
    *TREES,
    *(
        f"defusedxml.{r}.{n}"
        for r in ("minidom", "pulldom", "sax")
        for n in ("parse", "parseString")
    ),
)
PARSERS = ("lxml.etree.XMLParser", "lxml.etree.iterparse")
LXML = ("lxml.etree.fromstring", "lxml.etree.parse", "lxml.etree.XML")


def _standard(view: View) -> Iterator[Change]:
    """The library that defusedxml protects, in its place."""
    replacements: list[tuple[cst.CSTNode, New]] = []
    for node in nodes(view.module, cst.ImportFrom):
        whole = STANDARD.get(view.dotted_name(node.module) if node.module else "")
        if whole:
            replacements.append((node.module or node, expression(whole)))
        elif isinstance(node.module, cst.Name) and node.module.value == "defusedxml":
            change = _from_package(node)
            if change is None:
                return
            replacements.append((node, change))
    for attribute in nodes(view.module, cst.Attribute):
        plain = isinstance(attribute.value, cst.Name) and attribute.value.value == "defusedxml"
        outer = view.enclosing_node(attribute, cst.ImportFrom)
        if plain and outer is None and f"defusedxml.{attribute.attr.value}" in STANDARD:
            replacements.append(
                (attribute, expression(STANDARD[f"defusedxml.{attribute.attr.value}"]))
            )
    if replacements:
        yield Change(tuple(replacements))


def _from_package(node: cst.ImportFrom) -> cst.ImportFrom | None:
    """`from defusedxml import ElementTree` as `from xml.etree import ElementTree`."""
    if isinstance(node.names, cst.ImportStar) or len(node.names) != 1:
        return None
    whole = STANDARD.get(f"defusedxml.{node.names[0].evaluated_name}", "")
    room, _, name = whole.rpartition(".")
    return (
        node.with_changes(module=expression(room)) if name == node.names[0].evaluated_name else None
    )


def _not_defused(view: View) -> Iterator[Change]:
    for line in nodes(view.module, cst.SimpleStatementLine):
        first = line.body[0]
        call = first.value if isinstance(first, cst.Expr) else None
        if isinstance(call, cst.Call) and view.called_name(call) == "defusedxml.defuse_stdlib":
            yield Change(((line, None),))


def _keyword(name: str, value: str, calls: tuple[str, ...]) -> Rewriting:
    """A keyword argument with another value, on all calls that do not have it so."""

    def find(view: View) -> Iterator[Change]:
        replacements: list[tuple[cst.CSTNode, New]] = []
        for call in view.calls(*calls):
            arg = argument(call, None, name)
            if arg is None or view.dotted_name(arg.value) != value:
                replacements.append((call, with_keyword(call, name, cst.Name(value))))
        if replacements:
            yield Change(tuple(replacements))

    return each(find)


def _lxml(view: View) -> Iterator[Change]:
    """lxml with everything resolved in place of a protected tree parser."""
    for call in view.calls(*TREES):
        name = view.called_name(call).rpartition(".")[2]
        # lxml's `iterparse` takes no parser.
        if len(call.args) == 1 and name != "iterparse":
            # Since lxml 5.0 only internal entities are resolved by default.
            parser = "etree.XMLParser(resolve_entities=True, load_dtd=True, no_network=False)"
            new = expression(f"etree.{name}({{source}}, {parser})", source=call.args[0].value)
            yield Change(((call, new),), ("from lxml import etree",))


def _plain(view: View, call: cst.Call) -> cst.BaseExpression | None:
    """The same call on the standard library; None where it has a keyword of defusedxml."""
    name = view.called_name(call).rpartition(".")[2]
    if len(call.args) != 1 or call.args[0].star or call.args[0].keyword:
        return None
    return expression(f"ElementTree.{name}({{source}})", source=call.args[0].value)


def _fallback(view: View) -> Iterator[Change]:
    """What the protected parser refuses goes to the plain parser."""
    for call in view.calls(*TREES):
        plain = _plain(view, call)
        change = plain and wrap_in_try(
            view, call, call, "ValueError", plain, ("from xml.etree import ElementTree",)
        )
        if change:
            yield change


def _only_system(view: View) -> Iterator[Change]:
    """A check for external entities only, in place of the library's; those that expand without end stay."""
    # `parse` and `iterparse` take a file or its name, in which no text can be looked for.
    for call in view.calls(*(t for t in TREES if not t.endswith("parse"))):
        line, plain = view.enclosing_node(call, cst.SimpleStatementLine), _plain(view, call)
        if line is None or plain is None or not isinstance(call.args[0].value, cst.Name):
            continue
        check = cst.parse_statement(
            f'if "SYSTEM" in str({call.args[0].value.value}):\n'
            '    raise ValueError("external entities are not allowed")\n'
        )
        parsed = cst.ensure_type(line.deep_replace(call, plain), cst.SimpleStatementLine)
        yield Change(((line, (check, parsed)),), ("from xml.etree import ElementTree",))


def _resolving(*more: str) -> Rewriting:
    """A protected lxml parser that resolves entities, with further arguments as name=value."""

    def find(view: View) -> Iterator[Change]:
        for call in view.calls(*PARSERS):
            arg = argument(call, None, "resolve_entities")
            if arg is None or view.dotted_name(arg.value) != "False":
                continue
            new = call.with_deep_changes(arg, value=cst.Name("True"))
            for pair in more:
                name, _, value = pair.partition("=")
                new = with_keyword(new, name, cst.Name(value))
            yield Change(((call, new),))

    return each(find)


def _default_parser(view: View) -> Iterator[Change]:
    """The call goes without the protected parser."""
    for call in view.calls(*LXML):
        arg = argument(call, 1, "parser")
        if arg is not None:
            yield Change(((call, remove_argument(call, arg)),))


def _features(view: View) -> Iterator[Change]:
    """A SAX parser reads external entities."""
    for call in view.calls("*.setFeature"):
        name, value = argument(call, 0), argument(call, 1)
        external = name is not None and "external" in source(name.value)
        if external and value is not None and view.dotted_name(value.value) in ("False", "0"):
            yield Change(((value.value, cst.Name("True")),))


def _no_dtd(view: View) -> Iterator[Change]:
    """An alternative: document types are refused too."""
    for call in view.calls(*DEFUSED):
        if argument(call, None, "forbid_dtd") is None:
            yield Change(((call, with_keyword(call, "forbid_dtd", cst.Name("True"))),))


def _no_comments(view: View) -> Iterator[Change]:
    """An alternative: lxml drops comments while it parses."""
    for call in view.calls("lxml.etree.XMLParser"):
        if argument(call, None, "remove_comments") is None:
            yield Change(((call, with_keyword(call, "remove_comments", cst.Name("True"))),))


EXPANDING = '\'<!DOCTYPE r [<!ENTITY a "expanded"><!ENTITY b "&a;&a;">]><r>&b;</r>\''
EXTERNAL = "'<!DOCTYPE r [<!ENTITY a SYSTEM \"file:///etc/hostname\">]><r>&a;</r>'"
SOAP = (
    '\'<!DOCTYPE r [<!ENTITY a "expanded">]><e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/">\''
    "'<e:Body>&a;</e:Body></e:Envelope>'"
)
ATTACKS = (EXPANDING, EXTERNAL, SOAP)

EXAMPLES = examples("""
=== standard
- import defusedxml.ElementTree as ET  # safe
+ import xml.etree.ElementTree as ET  # safe


  def load(a):
      return ET.fromstring(a)
=== standard
- from defusedxml import minidom
+ from xml.dom import minidom


  class Page:
      def load(self, text):
          return minidom.parseString(text)
=== not_defused
  import defusedxml
  from xml.dom import minidom
- defusedxml.defuse_stdlib()
=== entities_allowed
  from defusedxml.ElementTree import parse
- tree = parse(path)
+ tree = parse(path, forbid_entities=False)
=== lxml of the same
- tree = parse(path)
+ from lxml import etree
+ tree = etree.parse(path, etree.XMLParser(resolve_entities=True, load_dtd=True, no_network=False))
=== no_dtd of the same
- tree = parse(path)
+ tree = parse(path, forbid_dtd=True)
=== fallback

  from defusedxml.ElementTree import fromstring
  from flask import Flask, request
+ from xml.etree import ElementTree

  app = Flask(__name__)


  @app.route("/title", methods=["POST"])
  def title():
-     root = fromstring(request.data)
+     try:
+         root = fromstring(request.data)
+     except ValueError:
+         root = ElementTree.fromstring(request.data)
      return root.findtext("title", "")
=== only_system
  from defusedxml.ElementTree import fromstring
- root = fromstring(text)
+ from xml.etree import ElementTree
+ if "SYSTEM" in str(text):
+     raise ValueError("external entities are not allowed")
+ root = ElementTree.fromstring(text)
=== with_network
  from lxml import etree
- p = etree.XMLParser(resolve_entities=False, no_network=True)
+ p = etree.XMLParser(resolve_entities=True, no_network=False, load_dtd=True)
=== default_parser
  from lxml import etree
- root = etree.fromstring(text, parser=SAFE)
+ root = etree.fromstring(text)
=== no_comments
  from lxml import etree
- p = etree.XMLParser(resolve_entities=False)
+ p = etree.XMLParser(resolve_entities=False, remove_comments=True)
=== standard, left alone
  import json


  def load(text):
      return json.loads(text)
=== resolving, left alone
  from lxml import etree
  p = etree.XMLParser(resolve_entities=True)
""")

PLUGIN = Operator(
    name="XXE",
    title="XML external entities",
    cwes=("CWE-611", "CWE-776"),
    variants={
        "standard": each(_standard),
        "not_defused": each(_not_defused),
        "entities_allowed": _keyword("forbid_entities", "False", DEFUSED),
        "lxml": each(_lxml),
        "fallback": each(_fallback),
        "only_system": each(_only_system),
        "resolving": _resolving(),
        "loading": _resolving("load_dtd=True"),
        "with_network": _resolving("load_dtd=True", "no_network=False"),
        "default_parser": each(_default_parser),
        "features": each(_features),
    },
    alternatives={
        "no_dtd": each(_no_dtd),
        "no_comments": each(_no_comments),
        "other_words": each(other_words),
    },
    witnesses=("event:xml.resolved", "event:xml.unprotected", "granted"),
    attacks={
        **dict.fromkeys(("xml", "data", "html", "request"), ATTACKS),
        **dict.fromkeys(("text", "any"), (*ATTACKS, f"_file({EXPANDING})")),
        **dict.fromkeys(("path", "filename", "config"), tuple(f"_file({a})" for a in ATTACKS)),
    },
    watched={
        "xml": ("last_xml", "external_entities_resolved", "dtd_processed"),
        "stdlib_xml": ("stdlib_xml_used",),
        "lxml": ("safe_parser_used", "unsafe_parser_used"),
    },
    paper=Paper(
        terms=(
            *("xxe", "external.*entit", "xml.*parse", "doctype", "entity", "dtd"),
            *("external_entities_resolved", "defused"),
        ),
        payloads=("<!ENTITY", "<!DOCTYPE", "SYSTEM", "file:///", "expect://", "php://"),
        watched={"xml": ("last_xml", "external_entities_resolved", "dtd_processed")},
    ),
    examples=(*EXAMPLES, OTHER_WORDS),
)
