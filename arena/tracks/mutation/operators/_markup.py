"""What neutralises markup and line breaks: calls that escape, and chains of replacements."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators._calls import Finder, fits, operand, receiver, weaker
from arena.tracks.mutation.operators._names import Change, View, argument, expression, nodes
from arena.tracks.mutation.operators._patterns import edit_literal
from arena.tracks.mutation.operators._scopes import source

ESCAPES = (
    *("html.escape", "*.escape", "escape", "markupsafe.escape", "flask.escape", "bleach.clean"),
    *("cgi.escape", "*.clean", "xml.sax.saxutils.escape", "*.quoteattr", "*.striptags"),
)
BREAKS = ("\n", "\r", "\r\n", "\0", "\t", "\x1b", "\v", "\f", "\u2028")
MARKUP = re.compile(r"[<>&\"';|$`(){}]")


def escaped_by(template: str) -> Finder:
    """Finds: each call that escapes, with something weaker in its place; {x} is what it escapes."""

    def find(view: View) -> Iterator[Change]:
        for call in escapes(view):
            inner = operand(call)
            if inner is not None:
                text = inner if _is_text(inner) else expression("str({x})", x=inner)
                yield Change(((call, fits(view, call, weaker(template, text, call))),))

    return find


def escapes(view: View) -> Iterator[cst.Call]:
    """Calls that escape markup; not those of the module re."""
    for call in view.calls(*ESCAPES):
        # `re.escape` neutralises a pattern's special characters, not markup, and "*.escape" matches it too.
        if call.args and not view.dotted_name(call.func).startswith("re."):
            yield call


def _is_text(node: cst.BaseExpression) -> bool:
    texts = cst.SimpleString | cst.FormattedString | cst.Name | cst.Call
    return isinstance(node, texts) and not source(node).startswith("html")


def escape_removed(view: View) -> Iterator[Change]:
    """Finds: each call that escapes, replaced by what it escapes."""
    for call in escapes(view):
        inner = operand(call)
        if inner is not None:
            yield Change(((call, fits(view, call, inner)),))


def quotes_kept(view: View) -> Iterator[Change]:
    """Finds: quotes stay as they are where the value stands in an attribute."""
    for call in escapes(view):
        # `html.escape` escapes quotes by default; its parameter `quote` is what markupsafe and bleach do not
        # have.
        quoting = view.dotted_name(call.func) in ("html.escape", "cgi.escape")
        if quoting and argument(call, 1, "quote") is None and _is_in_attribute(view, call):
            plain = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
            off = cst.Arg(cst.Name("False"), keyword=cst.Name("quote"), equal=plain)
            yield Change(((call, call.with_changes(args=[*call.args, off])),))


def _is_in_attribute(view: View, call: cst.Call) -> bool:
    """Whether a value goes into a tag: directly in an f-string, or by the name it is assigned."""
    function = view.enclosing_node(call, cst.FunctionDef)
    if function is None:
        return False
    assign = view.parents.get(call)
    name = ""
    if isinstance(assign, cst.Assign) and isinstance(assign.targets[0].target, cst.Name):
        name = assign.targets[0].target.value
    for text in nodes(function, cst.FormattedString):
        before = ""
        for part in text.parts:
            if isinstance(part, cst.FormattedStringText):
                before += part.value
            elif isinstance(part, cst.FormattedStringExpression):
                here = part.expression is call or (name and source(part.expression) == name)
                # An open `<` before the value: it stands inside a tag, where a quote ends the attribute.
                if here and before.rfind("<") > before.rfind(">"):
                    return True
    return False


def replacements(view: View) -> Iterator[tuple[cst.Call, str]]:
    """Calls of `.replace` that neutralise a special element, with that element."""
    for call in nodes(view.module, cst.Call):
        where = receiver(call)
        if where is None or not source(call.func).endswith(".replace") or len(call.args) != 2:
            continue
        text = call.args[0].value
        value = text.evaluated_value if isinstance(text, cst.SimpleString) else None
        if isinstance(value, str) and (value in BREAKS or MARKUP.search(value)):
            yield call, value


def replacement_dropped(view: View) -> Iterator[Change]:
    """Finds: each replacement left out."""
    for call, _ in replacements(view):
        where = receiver(call)
        if where is not None:
            yield Change(((call, fits(view, call, where)),))


def value_raw(view: View) -> Iterator[Change]:
    """Finds: a chain of several replacements left out as a whole."""
    return (Change(((call, new),)) for call, new, length in _chains(view) if length > 1)


def all_raw(view: View) -> Iterator[Change]:
    """Finds: every replacement left out, for every value."""
    return (Change(((call, new),)) for call, new, _ in _chains(view))


def _chains(view: View) -> Iterator[tuple[cst.Call, cst.BaseExpression, int]]:
    """Chains of replacements: the outermost call, the value without them, and how many they are."""
    replacement_calls = [call for call, _ in replacements(view)]
    for call in replacement_calls:
        where: cst.BaseExpression | None = call
        length = 0
        while isinstance(where, cst.Call) and where in replacement_calls:
            where, length = receiver(where), length + 1
        # Only from the outermost call, or each inner part of the chain would count as a chain of its own.
        if where is not None and not _is_receiver(view, call):
            yield call, fits(view, call, where), length


def _is_receiver(view: View, call: cst.Call) -> bool:
    return isinstance(view.parents.get(call), cst.Attribute)


def first_only(view: View) -> Iterator[Change]:
    """Finds: each replacement of the first occurrence only."""
    for call, _ in replacements(view):
        yield Change(((call, call.with_changes(args=[*call.args, cst.Arg(cst.Integer("1"))])),))


def marked_safe(view: View) -> Iterator[Change]:
    """Finds: a template's value that is marked as safe, or no longer escaped."""
    for text in nodes(view.module, cst.SimpleString):
        for change in (_no_filter, _safe_filter):
            new = edit_literal(text, change) if "{{" in text.value else None
            if new is not None:
                yield Change(((text, new),))


def _no_filter(body: str) -> str:
    return re.sub(r"\s*\|\s*(e|escape|forceescape)\s*(?=\}\})", " ", body)


def _safe_filter(body: str) -> str:
    return re.sub(r"\{\{\s*([\w.]+)\s*\}\}", r"{{ \1|safe }}", body, count=1)


def autoescape_off(view: View) -> Iterator[Change]:
    """Finds: an environment for templates that escapes nothing."""
    for arg in nodes(view.module, cst.Arg):
        named = arg.keyword is not None and arg.keyword.value == "autoescape"
        if named and source(arg.value) != "False":
            yield Change(((arg.value, cst.Name("False")),))
