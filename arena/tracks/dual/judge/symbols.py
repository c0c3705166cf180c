"""The names that a candidate uses: imports, calls, classes, methods (DualGauge, Algorithm 2, line 12)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from arena.models.languages import Language
from arena.models.token_scanner import tokens
from parsers.python_syntax import parse_python

MAX_SYMBOLS = 400
MAX_NAME = 100
MAX_DEPTH = 8
_WORDS = """
alignas alignof and asm async auto await bool break case catch char class const constexpr continue debugger
decltype default delete do double else enum export extends extern false final finally float for from function
get goto if import in inline instanceof int let long mutable namespace new noexcept not null nullptr of
operator or override private protected public register return set short signed sizeof static struct super
switch template this throw true try typedef typeid typename typeof undefined union unsigned using var virtual
void volatile while with yield
"""
_KEYWORDS = frozenset(_WORDS.split())
_JOINS = frozenset((".", ":"))


def symbols_of(source: str, language: Language) -> tuple[str, ...]:
    """Names, dotted where they are attributes, sorted; up to MAX_SYMBOLS. Raises nothing."""
    if language == "python":
        tree = parse_python(source)
        words = _words(source, "javascript") if isinstance(tree, str) else _python(tree)
    else:
        words = _words(source, language)
    symbols: dict[str, None] = {}
    for name in words:
        if len(name) <= MAX_NAME:
            symbols[name] = None
        if len(symbols) >= MAX_SYMBOLS:
            break
    return tuple(sorted(symbols))


def _python(tree: ast.Module) -> Iterator[str]:
    """Imported names and what is reached through them first: those are what a judge may not know."""
    names: dict[str, str] = {}
    nodes = list(ast.walk(tree))
    for node in nodes:
        for bound, full in _imported_names(node):
            names[bound] = full
            yield full
    for node in nodes:
        if isinstance(node, ast.Call | ast.Attribute):
            path = _dotted_name(node.func if isinstance(node, ast.Call) else node)
            if path:
                first, dot, rest = path.partition(".")
                yield names.get(first, first) + dot + rest
        elif isinstance(node, ast.ClassDef):
            yield node.name


def _imported_names(node: ast.AST) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            top = alias.name if alias.asname else alias.name.partition(".")[0]
            yield alias.asname or top, top
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield alias.asname or alias.name, f"{node.module or '.'}.{alias.name}"


def _dotted_name(node: ast.expr) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) < MAX_DEPTH:
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        return ".".join([node.id, *reversed(parts)])
    return f".{parts[0]}" if parts else ""


def _words(source: str, language: str) -> Iterator[str]:
    """Names of JavaScript and C++, put together where `.` or `::` joins them."""
    path: list[str] = []
    joined = False
    for token in tokens(source, language):
        if token.kind == "name" and token.text not in _KEYWORDS:
            if not joined and path:
                yield ".".join(path)
                path = []
            path = [*path[-MAX_DEPTH:], token.text]
            joined = False
        elif token.kind == "other" and token.text in _JOINS:
            joined = bool(path)
        else:
            if path:
                yield ".".join(path)
            path, joined = [], False
    if path:
        yield ".".join(path)
