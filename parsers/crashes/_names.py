"""Function names that agree between builds of one source.

gcc and clang name the same function differently (`operator[]` against
`(anonymous namespace)::Box<int, 4>::operator[](int) const`), and optimisation adds suffixes
(`parse.constprop.0`). `plain_name` takes away everything that differs.
"""

from __future__ import annotations

import re

MAX_NAME = 400

# Operators whose names hold brackets, arrows, brackets, and runs of anything else.
_TOKEN = re.compile(
    r"\boperator\s{0,2}(?:(?:new|delete)\[\]|\(\)|\[\]|<=>|<<=|>>=|->\*|->|<<|>>|<=|>=|<|>)"
    r"|->|[()<>\[\]]|(?:(?!\boperator)[^()<>\[\]-])+|."
)
_OPERATOR_TAIL = re.compile(r"(?:^|(?<=[\s:]))operator\b.*$")
_CLONE = re.compile(
    r"\.(?:constprop|isra|part|cold|llvm|lto_priv|localalias|resolver|clone|cfi)(?![A-Za-z_])"
    r"|@plt$|@@?[A-Z]\w*_[\d.]+$"
)
_ANONYMOUS = ("(anonymous namespace)::", "`anonymous namespace'::", "{anonymous}::")
_QUALIFIERS = (" const", " volatile", " noexcept", " &&", " &")
_OPEN, _CLOSE = frozenset("(<["), frozenset(")>]")


def plain_name(function: str) -> str:
    """`function` without parameters, template arguments, return type, anonymous namespaces,
    qualifiers and compiler suffixes, so that builds of one source by gcc and clang agree.

    >>> plain_name("void (anonymous namespace)::Box<int, 4>::put(int) const [clone .isra.0]")
    'Box::put'
    """
    for anonymous in _ANONYMOUS:
        function = function.replace(anonymous, "")
    name = _CLONE.split(_without_brackets(function[: 4 * MAX_NAME]).strip(), maxsplit=1)[0]
    for qualifier in _QUALIFIERS:
        name = name.removesuffix(qualifier)
    name = _without_return_type(" ".join(name.split()))
    name = "::".join(part for part in name.split("::") if part)
    return "".join(c if c.isprintable() else "?" for c in name[:MAX_NAME])


def _without_brackets(text: str) -> str:
    kept: list[str] = []
    depth = 0
    for token in _TOKEN.findall(text):
        if token in _OPEN:
            depth += 1
        elif token in _CLOSE:
            depth = max(0, depth - 1)
        elif depth == 0:
            kept.append(token)
    return "".join(kept)


def _without_return_type(name: str) -> str:
    operator = _OPERATOR_TAIL.search(name)
    if operator is None:
        return name.rpartition(" ")[2]
    scope = name[: operator.start()]
    return scope.rpartition(" ")[2] + operator[0]
