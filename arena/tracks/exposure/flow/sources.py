"""Sources, where data comes in, and which functions answer web requests. Facts of the frameworks'
documentation."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from arena.tracks.exposure.flow.building import words
from arena.tracks.exposure.flow.facts import SourceKind, TaintSource
from arena.tracks.exposure.flow.names import last_name

_REQUEST = r"(?:flask\.(?:globals\.)?request|bottle\.request|quart\.request|\?request|\$request|\$req|\?req)"
_TABLE: tuple[tuple[SourceKind, str], ...] = (
    (
        "request",
        _REQUEST
        + r"\.(?:args|form|values|json|data|files|cookies|headers|path|full_path|url|base_url|host"
        r"|query_string"
        r"|get_json\(\)|get_data\(\)|stream|view_args|referrer|user_agent|environ|query|params|forms|body|GET|POST"
        r"|META|COOKIES|FILES|REQUEST|query_params|path_params|match_info|post\(\)|text\(\)|read\(\)|json\(\)"
        r"|rel_url|raw_path|content|get_argument\(\)|POST|input_stream|authorization|body\(\)|form\(\)"
        r"|matchdict|GET_params|get_full_path\(\)|path_info|DELETE|PUT|rpc|multipart\(\))",
    ),
    (
        "request",
        _REQUEST
        + r"\.(?:get_argument|build_absolute_uri|getlist|get|param|get_param|getvalue)\(\)",
    ),
    ("request", r"<[^>]*>\(\)\.(?:get_(?:query_|body_)?arguments?\(\)|get_cookie\(\))"),
    ("request", r"<[^>]*>\(\)\.request\.\w+(?:\(\))?"),
    ("request", r"<[^>]*>\(\)\.(?:path|headers|rfile)"),
    ("request", r"web\.(?:input|data|cookies|ctx)(?:\(\)|\.)"),
    ("request", r"\$environ(?:\[\]|\.get\(\))"),
    ("request", r"cgi\.FieldStorage\(\)\S*"),
    ("request", r"cherrypy\.request\.\w+"),
    ("request", r"flask_rest(?:ful|x|plus)\.reqparse\.RequestParser\(\)\.parse_args\(\)"),
    ("input", r"(?:input|raw_input)\(\)"),
    ("input", r"sys\.stdin(?:\.\w+\(\)|\[\]|\.buffer\S*)"),
    ("input", r"fileinput\.input\(\)"),
    (
        "input",
        r"(?:tkinter|Tkinter)\.(?:ttk\.)?(?:Entry|Text|StringVar|Spinbox|Combobox)\(\)\.get\(\)"
        r"|(?:tkinter\.)?simpledialog\.ask\w+\(\)|\S*\.QLineEdit\(\)\.text\(\)",
    ),
    ("input", r"click\.prompt\(\)"),
    ("argv", r"sys\.argv(?:\[\])?"),
    (
        "argv",
        r"(?:argparse\.ArgumentParser|optparse\.OptionParser)\(\)\.parse_(?:known_)?args\(\)\S*",
    ),
    ("argv", r"docopt\.docopt\(\)\S*"),
    ("network", r"socket\.(?:socket|create_connection)\(\)\S*\.recv\w*\(\)"),
    ("network", r"\S*\.recv\(\)"),
    ("env", r"os\.(?:environ(?:\[\]|\.get\(\)|\.pop\(\))|getenv\(\)|environb\[\])"),
    (
        "file",
        r"(?:open|io\.open|codecs\.open|os\.open|tarfile\.open|tarfile\.TarFile(?:\.open)?|zipfile\.ZipFile)\(\)",
    ),
    ("file", r"pathlib\.(?:Pure|Posix)?Path\(\)\.(?:read_text|read_bytes|open)\(\)"),
)
_SOURCES = tuple((kind, re.compile(pattern)) for kind, pattern in _TABLE)
# Containers of a request: a key of theirs is a source of its own.
_KEYED = re.compile(
    _REQUEST
    + r"\.(?:args|form|values|json|data|files|cookies|headers|view_args|query|params|forms|GET|POST|META"
    r"|COOKIES|FILES|query_params|path_params|match_info|get_json\(\)|post\(\)|json\(\)|environ|matchdict|form\(\))"
    r"(?:\.to_dict\(\))?"
)
NO_DATA = words(
    """
    self cls conn connection cursor cur c db database session logger log app engine client env
    environment jinja_env config settings cnx con mysql request req response resp dbc db_conn
    db_connection db_session template_env timeout port debug verbose cafile ca_bundle
    start_response environ event_loop error err exc exception
    """
)
# Types whose values are no untrusted text: of the standard library and of pydantic.
_NUMBERS = words(
    """
    int float bool complex Decimal UUID UUID1 UUID3 UUID4 UUID5 date datetime time timedelta
    IPv4Address IPv6Address IPv4Network IPv6Network IPvAnyAddress IPvAnyNetwork conint confloat
    condecimal PositiveInt NonNegativeInt NegativeInt NonPositiveInt PositiveFloat NonNegativeFloat
    StrictInt StrictFloat StrictBool
    """
)
_WRAPPERS = words("Optional Union List list Set set Tuple tuple Sequence frozenset Annotated")
_ROUTES = words(
    """
    route get post put delete patch api_route websocket view head options any
    """
)
_ALWAYS_ROUTES = words(
    "route api_route websocket expose view_config errorhandler app_errorhandler exception_handler"
)
VIEW_METHODS = words(
    """
    get post put delete patch head options on_get on_post dispatch do_GET do_POST do_PUT do_HEAD
    GET POST render_GET render_POST
    """
)
_VIEW_BASES = re.compile(
    r"(?:View|Resource|RequestHandler|APIView|ViewSet|HTTPEndpoint|Handler|MethodView|Page|Controller)$"
)
REGISTERING = words(
    """
    add_url_rule add_route add_get add_post path re_path url Route add_api_route add_view
    add_api_view
    """
)
_PLACEHOLDER = re.compile(
    r"<(?:(?P<kind>\w+)(?:\([^)]*\))?:)?(?P<name>\w+)>|\{(?P<brace>\w+)(?::(?P<type>\w+))?\}"
)
_SAFE_CONVERTERS = frozenset(("int", "float", "uuid"))


@lru_cache(maxsize=4096)
def kind_of(path: str) -> SourceKind | None:
    """The kind of source that is come by in this way, or None."""
    for kind, pattern in _SOURCES:
        if pattern.fullmatch(path):
            return kind
    return None


@lru_cache(maxsize=4096)
def is_keyed(path: str) -> bool:
    """Whether it is a container of a request, each key of which is a separate source."""
    return _KEYED.fullmatch(path) is not None


def source(kind: SourceKind, node: ast.AST) -> TaintSource:
    """A source, named as it is written."""
    try:
        name = ast.unparse(node)
    # A tree nests as deeply as its program was written.
    except (ValueError, RecursionError):
        name = type(node).__name__
    return TaintSource(kind, " ".join(name.split())[:80], getattr(node, "lineno", 0))


def can_be_tainted(argument: ast.arg) -> bool:
    """Whether a parameter can hold untrusted text, by its name and annotation."""
    if argument.arg in NO_DATA:
        return False
    return argument.annotation is None or not is_plain(argument.annotation)


def is_plain(annotation: ast.expr) -> bool:
    """Whether an annotation lets no free text through: numbers, addresses, `int | None`, `Literal["a"]`."""
    waiting: list[ast.expr] = [annotation]
    while waiting:
        item = waiting.pop()
        if isinstance(item, ast.BinOp):
            waiting += [item.left, item.right]
        elif isinstance(item, ast.Subscript) and last_name(item.value) in _WRAPPERS:
            inner = item.slice.elts if isinstance(item.slice, ast.Tuple) else [item.slice]
            # Of `Annotated` only the first is the type.
            waiting += inner[:1] if last_name(item.value) == "Annotated" else inner
        elif not _is_plain_name(item):
            return False
    return True


def _is_plain_name(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return node.value in (None, ..., *_NUMBERS)
    if isinstance(node, ast.Subscript):
        return last_name(node.value) == "Literal"
    return last_name(node.func if isinstance(node, ast.Call) else node) in _NUMBERS


def is_view_class(bases: frozenset[str]) -> bool:
    return any(_VIEW_BASES.search(base) for base in bases)


def route_of(decorator: ast.expr) -> str | None:
    """The path of a route that a decorator makes ("" where it is not written out), or None."""
    call = decorator if isinstance(decorator, ast.Call) else None
    function = call.func if call else decorator
    name = last_name(function)
    rule = ""
    if call and call.args and isinstance(call.args[0], ast.Constant):
        rule = call.args[0].value if isinstance(call.args[0].value, str) else ""
    if name in _ALWAYS_ROUTES:
        return rule
    return (
        rule
        if name in _ROUTES and (rule or name == "view") and isinstance(function, ast.Attribute)
        else None
    )


def harmless_parameters(rule: str) -> frozenset[str]:
    """Parameters of a route that can only be numbers and the like."""
    result = set()
    for match in _PLACEHOLDER.finditer(rule):
        if match["kind"] in _SAFE_CONVERTERS or match["type"] in _SAFE_CONVERTERS:
            result.add(match["name"] or match["brace"])
    return frozenset(result)
