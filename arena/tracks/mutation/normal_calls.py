"""Arguments that equal what the called function takes by default; each from its library's documentation."""

from __future__ import annotations

import ast

VERBS = ("get", "post", "put", "patch", "delete", "head", "options", "request")

# Dotted name of a function as it is usually imported, and of its parameter -> default.
KEYWORDS: dict[str, object] = {
    **{f"requests.{verb}.verify": True for verb in VERBS},
    **{f"requests.{verb}.stream": False for verb in VERBS},
    **{f"requests.{verb}.timeout": None for verb in VERBS},
    **{f"requests.{verb}.allow_redirects": True for verb in VERBS if verb != "head"},
    **{f"httpx.{verb}.verify": True for verb in VERBS},
    **{
        f"subprocess.{f}.shell": False
        for f in ("run", "Popen", "call", "check_call", "check_output")
    },
    "subprocess.run.check": False,
    "subprocess.run.capture_output": False,
    "html.escape.quote": True,
    "os.mkdir.mode": 0o777,
    "os.makedirs.mode": 0o777,
    "os.makedirs.exist_ok": False,
    "os.open.mode": 0o777,
    "re.sub.count": 0,
    **{
        f"re.{f}.flags": 0
        for f in ("sub", "match", "fullmatch", "search", "compile", "findall", "split")
    },
    "open.mode": "r",
    "sorted.reverse": False,
    "json.loads.object_hook": None,
    "hashlib.pbkdf2_hmac.dklen": None,
    "etree.XMLParser.no_network": True,
    "etree.XMLParser.load_dtd": False,
    "etree.XMLParser.huge_tree": False,
    "etree.XMLParser.dtd_validation": False,
    "secrets.token_bytes.nbytes": None,
    "secrets.token_hex.nbytes": None,
    "secrets.token_urlsafe.nbytes": None,
    **{
        f"{tree}.{f}.forbid_dtd": False
        for tree in ("ET", "ElementTree")
        for f in ("fromstring", "parse")
    },
    **{
        f"{tree}.{f}.forbid_entities": True
        for tree in ("ET", "ElementTree")
        for f in ("fromstring", "parse")
    },
    **{
        f"{tree}.{f}.forbid_external": True
        for tree in ("ET", "ElementTree")
        for f in ("fromstring", "parse")
    },
}

# Function -> place of an argument, given last, and its default.
LAST: dict[str, tuple[int, object]] = {
    "html.escape": (1, True),
    "os.open": (2, 0o777),
    "os.mkdir": (1, 0o777),
    "open": (1, "r"),
}


def drop_defaults(call: ast.Call) -> ast.Call:
    """The call without arguments that say what would hold anyway."""
    name = _dotted_name(call.func)
    if not name:
        return call
    call.keywords = [k for k in call.keywords if not _is_default(f"{name}.{k.arg}", k.value)]
    last = LAST.get(name)
    if (
        last
        and len(call.args) == last[0] + 1
        and not call.keywords
        and _equals(call.args[-1], last[1])
    ):
        call.args.pop()
    return call


def _is_default(parameter: str, value: ast.expr) -> bool:
    return parameter in KEYWORDS and _equals(value, KEYWORDS[parameter])


def _equals(node: ast.expr, value: object) -> bool:
    """Whether a node is a constant of just this value and type: 0 is not False."""
    return (
        isinstance(node, ast.Constant) and node.value == value and type(node.value) is type(value)
    )


def _dotted_name(node: ast.expr) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join(reversed([*parts, node.id]))
