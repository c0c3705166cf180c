"""What a program answers to web requests: each body that it sends, and whether a browser reads it as HTML.

Facts are those of the frameworks' documentation: what is a response, and its type where the call names none.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from arena.tracks.exposure.detect._secrets import purposes
from arena.tracks.exposure.flow.facts import CallFact, Check, Constant, ProgramFacts, Return, Value
from arena.tracks.exposure.flow.names import dotted_name

_MARKUP = re.compile(r"html|xml|svg", re.IGNORECASE)
_TYPE_KEYWORDS = ("mimetype", "content_type", "media_type")
_TYPE_SETTERS = (
    ".set_header",
    ".send_header",
    ".set",
    ".add_header",
    ".add",
    ".setdefault",
    ".setHeader",
)
_TYPE_TARGETS = re.compile(
    r".*\.(?:mimetype|content_type|headers?\['content-type'\])|.*\['content-type'\]", re.I
)
_BODY_TARGETS = re.compile(r"(?:self\.)?(?:response|resp|res)\.(?:data|text|body|content)")


_TAG = re.compile(
    r"</?(?:html|head|body|div|span|p|a|b|i|u|h[1-6]|table|tr|td|th|ul|ol|li|br|hr|img|input|form|button|select"
    r"|option|textarea|label|script|style|iframe|strong|em|small|pre|code|article|section|header|footer|nav|main"
    r"|title|meta|link|svg|font|center|blockquote|time|abbr)\b(?=[\s>/]|$)",
    re.IGNORECASE,
)
_SHOWN = re.compile(r"\b(?:html|web ?page|rendered)\b", re.IGNORECASE)
_WRITES_MARKUP = re.compile(r"(?:[$?]\w*re[sq]\w*|<[^>]*>\(\)(?:\.\w+)*)\.write")


@dataclass(frozen=True)
class Body:
    """A response body that is sent. `markup`: a browser may read it as HTML."""

    value: Value
    checks: tuple[Check, ...]
    line: int
    name: str
    markup: bool


@dataclass(frozen=True)
class _Maker:
    """A function that makes or sends a response of its argument; `type_at`: where it takes the type."""

    paths: re.Pattern[str]
    body: tuple[str, ...]
    markup: bool
    type_at: int = -1


_MAKERS = (
    _Maker(
        re.compile(
            r"(?:flask|quart)\.(?:wrappers\.)?(?:make_response|Response|(?:Flask\(\)|Quart\(\)|current_app)"
            r"\.(?:make_response|response_class))|\?(?:Response|make_response)"
        ),
        ("response",),
        True,
        3,
    ),
    _Maker(
        re.compile(
            r"(?:django\.(?:http\.(?:response\.)?|shortcuts\.))?\??(?:HttpResponse(?!\w*Redirect|NotAllowed)\w*|StreamingHttpResponse)"
        ),
        ("content", "streaming_content"),
        True,
        1,
    ),
    _Maker(
        re.compile(
            r"(?:\?|(?:fastapi|starlette)\.responses\.)HTMLResponse|sanic\.response\.html|sanic\.html"
        ),
        ("content", "body"),
        True,
    ),
    _Maker(
        re.compile(r"(?:bottle|webob|pyramid\.response)\.(?:HTTPResponse|HTTPError|Response)"),
        ("body",),
        True,
    ),
    _Maker(re.compile(r"aiohttp\.web\.(?:Stream)?Response"), ("text", "body"), False),
    _Maker(
        re.compile(
            r"(?:(?:fastapi|starlette)\.(?:responses\.)?|werkzeug\.(?:wrappers\.)?|rest_framework\.response\.)Response"
        ),
        ("content", "response", "data"),
        False,
        3,
    ),
    _Maker(
        re.compile(
            r".*\.(?:wfile\.write|response\.(?:out\.)?write|set_data)|django\.http\.HttpResponse\(\)\.write"
        ),
        ("value", "text"),
        True,
    ),
)
# Functions whose value is a response: what they are given is a body of its own, or is no text of HTML.
JUDGED = re.compile(
    "|".join(maker.paths.pattern for maker in _MAKERS) + r"|(?:flask|quart)\.(?:redirect|jsonify)"
    r"|(?:fastapi|starlette)\.responses\.\w+|django\.(?:http\.\w+|shortcuts\.\w+)|bottle\.static_file"
    r"|sanic\.response\.\w+|aiohttp\.web\.\w+"
)
_WRITING_BASE = re.compile(r".*RequestHandler")
_JSON_BASE = re.compile(r".*(?:flask_rest\w+|flask_smorest|Resource|APIView|ViewSet).*")
_JSON_ROUTER = re.compile(r"(?:fastapi|ninja)\..*")


def bodies(facts: ProgramFacts) -> Iterator[Body]:
    """All bodies that a program sends, in the order of calls, then of returns."""
    types = _types(facts)
    writers = frozenset(f"<{name}>()" for name in _classes(facts.tree, _WRITING_BASE))
    console = _is_cgi(facts)
    for call in facts.calls:
        markup = _is_markup(types.get(call.function, ()))
        if (maker := _maker(call)) is not None:
            value = _body(call, maker)
            if value is not None:
                given_type = _given_type(call, maker)
                yield Body(
                    value,
                    call.checks,
                    call.line,
                    min(call.paths).lstrip("?$"),
                    given_type and markup,
                )
        elif (console and call.is_("print")) or _writes(call, writers):
            for value in call.arguments[:1]:
                # tornado sends a dict as JSON, and a template escapes by itself.
                encoded = value.pairs is not None or call.ends(".render")
                yield Body(
                    value,
                    call.checks,
                    call.line,
                    min(call.paths).lstrip("?$"),
                    markup and not encoded,
                )
    yield from _assigned_bodies(facts, types)
    yield from _returned_bodies(facts, types)
    yield from _written_bodies(facts)


def _written_bodies(facts: ProgramFacts) -> Iterator[Body]:
    """Markup that a function returns, or writes to an argument, outside of the frameworks covered here."""
    purpose_of = purposes(facts.tree)
    for item in facts.returns:
        # Handlers' values are responses, which are judged as such; a constant holds no data.
        elsewhere = item.handler or item.function.startswith("__") or item.value.exact
        markup = _has_tag(item.value) or _SHOWN.search(purpose_of.get(item.function, ""))
        if item.value.pieces and markup and not elsewhere:
            yield Body(item.value, item.checks, item.line, "the markup that is returned", True)
    for call in facts.calls:
        if any(map(_WRITES_MARKUP.fullmatch, call.paths)) and _maker(call) is None:
            yield from (
                Body(argument, call.checks, call.line, "the markup that is written", True)
                for argument in call.arguments[:1]
                if _has_tag(argument)
            )


def _has_tag(value: Value) -> bool:
    """Whether text that is put together has an element of HTML among its constant parts."""
    return any(_TAG.search(text) for piece in value.pieces if piece.exact for text in piece.texts)


def _assigned_bodies(facts: ProgramFacts, types: Mapping[str, list[str]]) -> Iterator[Body]:
    """response.data = ..., resp.text = ...; falcon sends JSON where no type is set."""
    encoded = any(name.startswith("falcon") for name in facts.imports)
    for assignment in facts.assignments:
        if _BODY_TARGETS.fullmatch(assignment.target):
            content_types = types.get(assignment.function, ())
            markup = _is_markup(content_types) and bool(content_types or not encoded)
            yield Body(assignment.value, (), assignment.line, assignment.target, markup)


def _maker(call: CallFact) -> _Maker | None:
    for maker in _MAKERS:
        if any(maker.paths.fullmatch(path) for path in call.paths):
            return maker
    return None


def _body(call: CallFact, maker: _Maker) -> Value | None:
    value = call.argument(0, *maker.body)
    return (
        value.items[0] if value is not None and value.items and _is_answer(value.items) else value
    )


def _is_answer(items: tuple[Value, ...]) -> bool:
    """Whether these are a body with a status or headers, and no list."""
    # Flask takes (body, status), (body, headers) and (body, status, headers).
    return 1 < len(items) < 4 and any(
        item.numbers or item.pairs is not None or item.paths for item in items[1:]
    )


def _given_type(call: CallFact, maker: _Maker) -> bool:
    """Whether a response is markup by what its call says of its type."""
    type_values = [call.keywords[name] for name in _TYPE_KEYWORDS if name in call.keywords]
    if not type_values and 0 < maker.type_at < len(call.arguments):
        type_values = [call.arguments[maker.type_at]]
    texts = [text for value in type_values for text in value.texts]
    for value in call.values:
        texts += _header(value.pairs)
    if not texts:
        # A type that is given and not known may be HTML.
        return maker.markup or bool(type_values)
    return _is_markup(texts)


def _header(pairs: Mapping[Constant, Value] | None) -> list[str]:
    """The type that a dict of headers gives."""
    return [
        text
        for name, value in (pairs or {}).items()
        if isinstance(name, str) and name.lower() == "content-type"
        for text in value.texts
    ]


def _is_markup(types: Iterable[str]) -> bool:
    """Whether any of these types is markup, or there is none, so that it is HTML."""
    known_types = tuple(types)
    # Without a type frameworks send HTML.
    return not known_types or any(_MARKUP.search(item) for item in known_types)


def _types(facts: ProgramFacts) -> dict[str, list[str]]:
    """The types that each function gives to a response by a header or an attribute."""
    types: dict[str, list[str]] = {}
    for assignment in facts.assignments:
        if _TYPE_TARGETS.fullmatch(assignment.target):
            types.setdefault(assignment.function, []).extend(assignment.value.texts)
    for call in facts.calls:
        named = call.arguments[0].texts if len(call.arguments) > 1 else ()
        if call.ends(*_TYPE_SETTERS) and any(name.lower() == "content-type" for name in named):
            types.setdefault(call.function, []).extend(call.arguments[1].texts)
    return types


def _classes(tree: ast.Module, base: re.Pattern[str]) -> set[str]:
    """Names of classes whose base matches `base` as written, and of their subclasses."""
    classes: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            written = [dotted_name(item) for item in node.bases]
            if any(base.fullmatch(item) or item in classes for item in written):
                classes.add(node.name)
    return classes


def _writes(call: CallFact, writers: frozenset[str]) -> bool:
    """self.write, self.finish and self.render of a handler of tornado."""
    return call.ends(".write", ".finish", ".render") and not writers.isdisjoint(call.receiver.paths)


def _is_cgi(facts: ProgramFacts) -> bool:
    """Whether a script answers by what it prints."""
    if not facts.imports & {"cgi", "cgitb"}:
        return False
    headers = (
        text
        for call in facts.calls_of("print")
        for argument in call.arguments
        for text in argument.texts
    )
    return any("content-type" in text.lower() and _MARKUP.search(text) for text in headers)


def _returned_bodies(facts: ProgramFacts, types: Mapping[str, list[str]]) -> Iterator[Body]:
    encoded = _json_functions(facts)
    # An application of WSGI calls it in the function whose value is the body.
    gateways = {call.function for call in facts.calls_ending_with("start_response")}
    for item in facts.returns:
        gateway = bool(item.function) and item.function in gateways
        if not (item.handler or gateway):
            continue
        value, headers = _answer(item)
        nothing = value.exact and value.constants == {None}
        if not nothing:
            listed = value.items is not None and not gateway
            # Flask and others send a dict or a list as JSON.
            sent_as_json = (listed or value.pairs is not None) and not value.pieces
            markup = not sent_as_json and item.function not in encoded
            content_types = (*types.get(item.function, ()), *headers)
            yield Body(
                value, item.checks, item.line, "the response", markup and _is_markup(content_types)
            )


def _answer(element: Return) -> tuple[Value, list[str]]:
    items = element.value.items
    if not items or not _is_answer(items):
        return element.value, []
    return items[0], [text for item in items[1:] for text in _header(item.pairs)]


def _json_functions(facts: ProgramFacts) -> set[str]:
    """Functions whose value is sent as JSON, whatever it is."""
    holders = {
        id(decorator): node for node in ast.walk(facts.tree) for decorator in _decorators(node)
    }
    functions = {name for call in facts.calls for name in _json_route(call, holders)}
    for node in ast.walk(facts.tree):
        if isinstance(node, ast.ClassDef) and any(
            _JSON_BASE.fullmatch(dotted_name(base)) for base in node.bases
        ):
            functions |= {item.name for item in node.body if isinstance(item, _FUNCTIONS)}
    return functions


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _decorators(node: ast.AST) -> list[ast.expr]:
    return node.decorator_list if isinstance(node, _FUNCTIONS) else []


def _json_route(call: CallFact, holders: Mapping[int, ast.AST]) -> Iterator[str]:
    holder = holders.get(id(call.node))
    if not isinstance(holder, _FUNCTIONS):
        return
    kind = call.keywords.get("response_class", Value())
    if any(_JSON_ROUTER.fullmatch(path) for path in call.paths) and not kind.ends("HTMLResponse"):
        yield holder.name
