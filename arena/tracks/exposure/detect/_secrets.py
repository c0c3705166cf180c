"""Which names stand for passwords and further secrets, and where a value's data was read by such a name."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from arena.tracks.exposure.flow.facts import TaintSource, Value
from arena.tracks.exposure.flow.names import last_name

_PASSWORD = re.compile(
    r"passw|passwd|pass_?(?:code|phrase|key)|pwd|pswd|(?:^|[^a-z])(?:pass|pw|psw|pin|passwort)(?:$"
    r"|[^a-z])"
)
_NO_PASSWORD = re.compile(
    r"question|field|type|len\b|_len|length|policy|prompt|label|strength|regex|pattern|error|message"
    r"|_msg|url|path"
    r"|file|hint|column|_min|min_|_max|max_|valid|required|visible|show|count|attempt|expir|chang"
    r"|forgot|age\b"
)
_SECRET = re.compile(
    r"(?:^|[^a-z])secrets?(?:$|[^a-z])|secret_?key|client_?secret|jwt_?secret|api_?key|api_?secret"
    r"|access_?key|auth_?key"
    r"|(?:access|api|bearer|auth|bot|refresh)_?token|private_?key|signing_?key|encryption_?key"
    r"|credentials?$"
)  # fmt: skip
_USER = re.compile(
    r"user|login|email|role|moderator|is_mod|(?:^|[^a-z])(?:mod|admin|account|uid|uname|name)(?:$"
    r"|[^a-z])"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_KEY = re.compile(r"""[\[(]\s*[bru]?['"]([^'"]*)['"]""")
_LAST = re.compile(r"(\w+)\W*$")
# Calls whose value is what they are called on or asked for, as far as its name goes.
_SEEN_THROUGH = frozenset(
    ("get", "pop", "getone", "encode", "decode", "strip", "lower", "upper", "str", "bytes", "get_argument",
     "format", "repr", "rstrip", "lstrip", "getenv", "hexdigest", "digest", "getvalue", "getfirst", "unicode")
)  # fmt: skip


def _flat(name: str) -> str:
    return _CAMEL.sub("_", name).replace("-", "_").lower()


@lru_cache(maxsize=4096)
def is_password(name: str) -> bool:
    """Whether a name is that of a password: password, db_passwd, MYSQL_PWD, passphrase."""
    flat = _flat(name)
    # Names such as password_field and password_length hold no password but describe it.
    return _PASSWORD.search(flat) is not None and _NO_PASSWORD.search(flat) is None


@lru_cache(maxsize=4096)
def is_secret(name: str) -> bool:
    """Whether a name is that of a password or of another credential: api_key, secret_key, access_token."""
    flat = _flat(name)
    secret = _SECRET.search(flat) is not None and _NO_PASSWORD.search(flat) is None
    return secret or is_password(name)


@lru_cache(maxsize=4096)
def is_user(name: str) -> bool:
    """Whether a name is that of a user or of what a user may do."""
    # `__name__` would match, and names a module.
    return _USER.search(_flat(name)) is not None and not name.startswith("__")


def purposes(tree: ast.Module) -> dict[str, str]:
    """The purpose of each function, by the first line of its docstring."""
    result = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (ast.get_docstring(node) or "").strip().splitlines()
            if lines:
                result[node.name] = lines[0][:300]
    return result


def asked_for(source: TaintSource) -> str:
    """The key or name by which a source is read: password, of request.args.get('password', '')."""
    # The first quoted text is the key: behind it there may be a default.
    result = _KEY.search(source.name) or _LAST.search(source.name)
    return result[1] if result else source.name


def names_of_expression(node: ast.expr | None) -> tuple[str, ...]:
    """Names that an expression stands for: of a name, an attribute, a key, and what these are wrapped in."""
    # A bound, though nothing here is that deep: each round takes off one wrapper.
    for _ in range(12):
        if isinstance(node, ast.Name):
            return (node.id,)
        if isinstance(node, ast.Attribute):
            return (node.attr,)
        if isinstance(node, ast.NamedExpr):
            # `(x := request.args["password"])` goes by both names.
            return (node.target.id, *names_of_expression(node.value))
        if isinstance(node, ast.Await):
            node = node.value
        elif isinstance(node, ast.Subscript):
            # An index that is a number says nothing: the name is then the collection's.
            if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
                return (node.slice.value,)
            node = node.value
        elif isinstance(node, ast.Call):
            node = _unwrap_call(node)
            if isinstance(node, ast.Constant):
                return (node.value,) if isinstance(node.value, str) else ()
        else:
            break
    return ()


def _unwrap_call(node: ast.Call) -> ast.expr | None:
    """What a call is about: the key that it reads, or what is wrapped."""
    function = node.func
    name = last_name(function)
    if name not in _SEEN_THROUGH:
        return None
    # Either a function around the value, or a getter whose first argument is the key.
    if node.args and (name in ("str", "bytes", "repr", "unicode") or _is_key(node.args[0], name)):
        return node.args[0]
    return function.value if isinstance(function, ast.Attribute) else None


def _is_key(node: ast.expr, name: str) -> bool:
    text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    # Constants given to these are an encoding, letters to take off or a value, no key.
    return text and name not in ("encode", "decode", "strip", "format", "rstrip", "lstrip")


def names_of(value: Value, node: ast.expr | None) -> tuple[str, ...]:
    """All names that a value goes by: as it is written, and the names by which its data was read."""
    names = sorted({asked_for(flow.source) for flow in value.flows})
    # getpass asks for passwords by its purpose, whatever the variable is called.
    prompted = ("password",) if any(p.startswith("getpass.getpass()") for p in value.paths) else ()
    return (*names_of_expression(node), *names, *prompted)
