"""Credentials: where a program reads them, and literals in their place."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators import _rules as rules
from arena.tracks.mutation.operators._names import (
    View,
    descendants,
)
from arena.tracks.mutation.operators._scopes import definition, source

CREDENTIAL = re.compile(
    r"pass(word|wd|phrase)?|pwd|secret|token|api_?key|access_?key|private_?key|encryption_?key|\bkey\b"
    r"|_key|credential|auth|dsn|connection_string|database_url|salt"
)
STORES = ("os.environ.get", "os.getenv", "environ.get", "getenv")
VAULTS = re.compile(
    r"(^|\.)(get_secret\w*|get_password|read_secret\w*|getpass|get_credential\w*|secret)$"
)

# From the special to the general, and the last one fits any name. Forms that libraries and scanners of
# secrets know.
LITERALS = (
    (r"access_?key_?id", "AKIAIOSFODNN7EXAMPLE"),
    (r"encryption|fernet|cipher|signing", "c2VjcmV0LWtleS1vZi10aGlydHktdHdvLWJ5dGVzISE="),
    (r"token", "ghp_s3cr3tT0kenInTheSource0123456789"),
    (r"pass|pwd", "Pr0duction-Passw0rd!"),
    (r"secret", "s3cr3t-value-in-the-source-0123456789"),
    (r"dsn|url|connection", "postgresql://admin:Pr0duction-Passw0rd!@db/prod"),
    (r"", "sk_live_s3cr3tKeyInTheSource0123456789"),
)


def literal_for(name: str) -> cst.SimpleString:
    """A credential as it might stand in the source, by its name."""
    text = next(value for pattern, value in LITERALS if re.search(pattern, name.lower()))
    return rules.text_node(text)


def reads(view: View) -> Iterator[tuple[cst.BaseExpression, str]]:
    """Where a credential is read from outside of the source, with what it is called."""
    for node in descendants(view.module):
        name = _read(view, node)
        if name and isinstance(node, cst.BaseExpression) and CREDENTIAL.search(name.lower()):
            yield node, name


def _read(view: View, node: cst.CSTNode) -> str:
    """What is read there: the variable's name, and where that is unknown the expression's source."""
    if isinstance(node, cst.Subscript) and view.dotted_name(node.value) in (
        "os.environ",
        "environ",
    ):
        index = node.slice[0].slice
        return _key_source(view, index.value) if isinstance(index, cst.Index) else ""
    if not isinstance(node, cst.Call) or not node.args:
        return ""
    store = view.dotted_name(node.func) in STORES
    if store or VAULTS.search(source(node.func)):
        return _key_source(view, node.args[0].value)
    return ""


def _key_source(view: View, key: cst.BaseExpression) -> str:
    value = definition(view, key) if isinstance(key, cst.Name) else key
    return source(value if value is not None else key)


def _key(node: cst.BaseExpression) -> cst.BaseExpression | None:
    if isinstance(node, cst.Call):
        return node.args[0].value
    index = node.slice[0].slice if isinstance(node, cst.Subscript) else None
    return index.value if isinstance(index, cst.Index) else None
